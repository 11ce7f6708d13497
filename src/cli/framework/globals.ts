/** Options of every command, used by parsing, help, completion and manual pages. */
import { duration, flag, text } from './option.js'
import type { Parameters } from '../command.js'

export const globalOptions = {
  json: flag('Print the result as JSON, and failures as JSON on stderr'),
  quiet: flag('Print ids only, one per line', { short: 'q' }),
  noColor: flag('Disable colours'),
  noInput: flag('Never prompt; fail if input is missing'),
  home: text('Folder of the node', { placeholder: 'dir', completes: 'folder' }),
  node: text('Remote node, by its name in coffer nodes; local for the node of this machine', { placeholder: 'name', names: 'node' }),
  config: text('Configuration file, instead of config.toml in the folder', { placeholder: 'file', completes: 'file' }),
  timeout: duration('How long to wait for a response from the node'),
  verbose: flag('Print more details, including where a failure happened', { short: 'v' }),
} satisfies Parameters

/** Options handled before any command. */
export const builtInOptions = [
  { syntax: '-h, --help', summary: 'Print help for the command' },
  { syntax: '-V, --version', summary: 'Print the version' },
] as const
