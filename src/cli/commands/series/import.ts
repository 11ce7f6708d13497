import { command } from '../../command.js'
import { inputFile, text } from '../../framework/option.js'
import { CSV_HELP } from '../../terminal/input/csv/options.js'
import { importFile, importOptions } from './shared/importFile.js'

/** `coffer series import`. */
export const importPoints = command({
  path: ['series', 'import'],
  summary: 'Import points of a series from a file',
  description:
    `Reads CSV with a header that names the columns: deltaTime (seconds after the time of the event) or timestamp, then value, or the fields of the series type. For other names, the columns of the time and of a single value are found by their content and names; --time-column and --column name them. Where several fit, a terminal asks; otherwise the error names the option and the columns. Files may be of any size.\n\n${CSV_HELP}\n\nOn a terminal, five points of a file with more than 300 are shown as they will be stored before the import begins; --yes skips the question.\n\nA point replaces an existing one with the same time, so importing a file again creates no duplicates, and completes an import that was interrupted. The import stops at the first invalid line and reports its number; points of earlier lines may already be imported.`,
  arguments: {
    event: text('Event that contains the series', { required: true, names: 'series' }),
    file: inputFile('File to read', { required: true }),
  },
  options: importOptions,
  examples: [
    { type: 'coffer series import ckq2v8x0a0000abcd1234efgh heart.csv', description: 'import an export of coffer series export' },
    {
      type: 'coffer series import --time-column t --column value=bpm -n ckq2v8x0a0000abcd1234efgh heart.csv',
      description: 'check a file with different column names',
    },
  ],
  json: '{"points"}, with "dryRun" after --dry-run',
  offline: true,
  run: (context, { event, file, ...options }) => importFile(context, event, file, options),
})
