/** Names of the commands that only work on the node of this machine (`reach: 'machine'`), for hints about remote nodes. */
const MACHINE_COMMANDS: ReadonlySet<string> = new Set([
  ...['init', 'start', 'stop', 'restart', 'doctor', 'logs', 'restore', 'update'],
  ...['create', 'list', 'prune', 'schedule', 'show', 'verify'].map((verb) => `backup ${verb}`),
  ...['check', 'edit', 'get', 'list', 'path', 'set', 'unset'].map((verb) => `config ${verb}`),
  ...['ack', 'add', 'join'].map((verb) => `cores ${verb}`),
  ...['init', 'issue-certificate'].map((verb) => `platform ${verb}`),
  ...['install', 'proxy', 'status', 'uninstall'].map((verb) => `service ${verb}`),
  ...['migrate', 'rekey', 'repair'].map((verb) => `store ${verb}`),
])

/** Checks whether a command line starts with a command that only works on the node of this machine. */
export const isMachineCommand = ([noun = '', verb = '']: readonly string[]): boolean =>
  MACHINE_COMMANDS.has(noun) || MACHINE_COMMANDS.has(`${noun} ${verb}`)
