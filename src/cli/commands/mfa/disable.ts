import { command } from '../../command.js'
import { removeFactor, removeOptions } from './remove.js'

/** `coffer mfa disable`. */
export const disable = command({
  path: ['mfa', 'disable'],
  summary: 'Take the second factor away, as the owner of the account',
  description: 'The account logs in with its password alone then; recovery codes are void.',
  options: removeOptions,
  examples: [{ type: 'coffer mfa disable --user ana-lovelace', says: 'asks once' }],
  json: '{"username","mfa":null}',
  offline: true,
  run: (context, options) => removeFactor(context, options, (user) => ['mfa.deactivate', {}, { user }]),
})
