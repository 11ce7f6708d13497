import { command } from '../../command.js'
import { removeFactor, removeOptions } from './remove.js'

/** `coffer mfa reset`. */
export const reset = command({
  path: ['mfa', 'reset'],
  summary: 'Remove the second factor of an account, as the operator',
  description:
    'For an owner who lost the phone and the recovery codes. The owner is notified by mail, if mail is set up, and the call is recorded in the audit log.',
  options: removeOptions,
  examples: [{ type: 'coffer mfa reset --user ana-lovelace --yes', description: 'for scripts' }],
  json: '{"username","mfa":null}',
  offline: true,
  run: (context, options) => removeFactor(context, options, (username) => ['system.deactivateMfa', { username }, {}]),
})
