/**
 * The list of all commands, by their words. Each is loaded when it is needed: a call loads the one it names, help and
 * completion load all. The order is that of help.
 */
import type { Command } from './command.js'

export const commands: Readonly<Record<string, () => Promise<Command>>> = {
  init: async () => (await import('./commands/node/init.js')).init,
  start: async () => (await import('./commands/node/start.js')).start,
  stop: async () => (await import('./commands/node/stop.js')).stop,
  status: async () => (await import('./commands/node/status.js')).status,
  'users list': async () => (await import('./commands/users/list.js')).list,
  'users show': async () => (await import('./commands/users/show.js')).show,
  'users create': async () => (await import('./commands/users/create.js')).create,
  'users set-password': async () => (await import('./commands/users/setPassword.js')).setPassword,
  'users delete': async () => (await import('./commands/users/delete.js')).remove,
  'sessions list': async () => (await import('./commands/sessions/list.js')).list,
  'sessions end': async () => (await import('./commands/sessions/end.js')).end,
  'mfa status': async () => (await import('./commands/mfa/status.js')).status,
  'mfa enable': async () => (await import('./commands/mfa/enable.js')).enable,
  'mfa confirm': async () => (await import('./commands/mfa/confirm.js')).confirm,
  'mfa disable': async () => (await import('./commands/mfa/disable.js')).disable,
  'mfa reset': async () => (await import('./commands/mfa/reset.js')).reset,
  'profile show': async () => (await import('./commands/profile/show.js')).show,
  'profile set': async () => (await import('./commands/profile/set.js')).set,
  'streams tree': async () => (await import('./commands/streams/tree.js')).tree,
  'streams create': async () => (await import('./commands/streams/create.js')).create,
  'streams update': async () => (await import('./commands/streams/update.js')).update,
  'streams move': async () => (await import('./commands/streams/move.js')).move,
  'streams trash': async () => (await import('./commands/streams/trash.js')).trash,
  'streams delete': async () => (await import('./commands/streams/delete.js')).remove,
  'events list': async () => (await import('./commands/events/list.js')).list,
  'events show': async () => (await import('./commands/events/show.js')).show,
  'events create': async () => (await import('./commands/events/create.js')).create,
  'events update': async () => (await import('./commands/events/update.js')).update,
  'events trash': async () => (await import('./commands/events/trash.js')).trash,
  'events delete': async () => (await import('./commands/events/delete.js')).remove,
  'events import': async () => (await import('./commands/events/import.js')).importEvents,
  'events export': async () => (await import('./commands/events/export.js')).exportEvents,
  'events watch': async () => (await import('./commands/events/watch.js')).watch,
  'accesses list': async () => (await import('./commands/accesses/list.js')).list,
  'accesses show': async () => (await import('./commands/accesses/show.js')).show,
  'accesses create': async () => (await import('./commands/accesses/create.js')).create,
  'accesses update': async () => (await import('./commands/accesses/update.js')).update,
  'accesses revoke': async () => (await import('./commands/accesses/revoke.js')).revoke,
  'accesses check': async () => (await import('./commands/accesses/check.js')).check,
  'audit list': async () => (await import('./commands/audit/list.js')).list,
  'audit follow': async () => (await import('./commands/audit/follow.js')).follow,
  api: async () => (await import('./commands/api.js')).api,
  'config list': async () => (await import('./commands/config/list.js')).list,
  'config get': async () => (await import('./commands/config/get.js')).get,
  'config set': async () => (await import('./commands/config/set.js')).set,
  'config unset': async () => (await import('./commands/config/unset.js')).unset,
  'config path': async () => (await import('./commands/config/path.js')).path,
  completion: async () => (await import('./commands/completion.js')).completion,
  help: async () => (await import('./commands/help.js')).help,
  man: async () => (await import('./commands/man.js')).man,
}

/** Loads every command, in the order of the list. */
export function allCommands(): Promise<Command[]> {
  return Promise.all(Object.values(commands).map((load) => load()))
}
