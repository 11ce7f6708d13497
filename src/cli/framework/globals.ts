/** The options that every command takes, as one list: parsing, help, completion and manual pages read it. */
import { duration, flag, text } from './option.js'
import type { Parameters } from '../command.js'

export const globalOptions = {
  json: flag('Print the result as JSON, and failures as JSON on stderr'),
  quiet: flag('Print ids only, one per line', { short: 'q' }),
  noColor: flag('No colours'),
  noInput: flag('Ask nothing; what is missing is an error'),
  home: text('Folder of the node', { placeholder: 'dir', completes: 'folder' }),
  node: text('Node of another machine, by its name in coffer nodes; local for that of this machine', { placeholder: 'name', names: 'node' }),
  config: text('Configuration file, instead of config.toml in the folder', { placeholder: 'file', completes: 'file' }),
  timeout: duration('How long to wait for an answer of the node'),
  verbose: flag('Say more, also where a failure happened', { short: 'v' }),
} satisfies Parameters

/** Options that are handled before any command. */
export const builtInOptions = [
  { syntax: '-h, --help', summary: 'Explain the command' },
  { syntax: '-V, --version', summary: 'Print the version' },
] as const
