/** Commands that are about the node of their machine alone (`reach: 'machine'`), by name: for lines that tell people what to type next. */
const MACHINE_COMMANDS: ReadonlySet<string> = new Set([
  ...['init', 'start', 'stop', 'restart', 'doctor', 'logs', 'restore'],
  ...['create', 'list', 'prune', 'schedule', 'show', 'verify'].map((verb) => `backup ${verb}`),
  ...['check', 'edit', 'get', 'list', 'path', 'set', 'unset'].map((verb) => `config ${verb}`),
  ...['install', 'proxy', 'status', 'uninstall'].map((verb) => `service ${verb}`),
  ...['migrate', 'rekey', 'repair'].map((verb) => `store ${verb}`),
])

/** Whether the words of a command line begin with such a command. */
export const isOfMachine = ([noun = '', verb = '']: readonly string[]): boolean =>
  MACHINE_COMMANDS.has(noun) || MACHINE_COMMANDS.has(`${noun} ${verb}`)
