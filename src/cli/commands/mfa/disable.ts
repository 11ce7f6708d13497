import { command } from '../../command.js'
import { removeFactor, removeOptions } from './remove.js'

/** `coffer mfa disable`. */
export const disable = command({
  path: ['mfa', 'disable'],
  summary: 'Remove the second factor, as the owner of the account',
  description: 'The account then logs in with the password only; recovery codes become invalid.',
  options: removeOptions,
  examples: [{ type: 'coffer mfa disable --user ana-lovelace', description: 'ask for confirmation' }],
  json: '{"username","mfa":null}',
  offline: true,
  run: (context, options) => removeFactor(context, options, (user) => ['mfa.deactivate', {}, { user }]),
})
