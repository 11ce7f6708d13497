import { command } from '../../command.js'
import { removeFactor, removeOptions } from './remove.js'

/** `coffer mfa reset`. */
export const reset = command({
  path: ['mfa', 'reset'],
  summary: 'Take the second factor of somebody away, as the operator',
  description:
    'For an owner who has lost the phone and the recovery codes. The owner is told by mail, where mail is set up, and finds it in the audit.',
  options: removeOptions,
  examples: [{ type: 'coffer mfa reset --user ana-lovelace --yes', says: 'for scripts' }],
  json: '{"username","mfa":null}',
  offline: true,
  run: (context, options) => removeFactor(context, options, (username) => ['system.deactivateMfa', { username }, {}]),
})
