import { command } from '../../command.js'
import { text } from '../../framework/option.js'
import { importFile, importOptions } from './shared/importFile.js'

/** `coffer series import`. */
export const importPoints = command({
  path: ['series', 'import'],
  summary: 'Import points of a series from a file',
  description:
    'Reads CSV with a header that names the fields: deltaTime (seconds after the time of the event) or timestamp, then value, or the fields of the series type. Map other column names with --time-column and --column. Files may be of any size.\n\nA point replaces an existing one with the same time, so importing a file again creates no duplicates. The import stops at the first invalid line and reports its number; points of earlier lines may already be imported.\n\nTimestamps are seconds or, with --time-unit ms, milliseconds since 1970, or ISO 8601; without an offset they are in the time zone of this machine (see TZ).',
  arguments: {
    event: text('Event that contains the series', { required: true, names: 'series' }),
    file: text('File to read, or - for stdin', { required: true, completes: 'file' }),
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
