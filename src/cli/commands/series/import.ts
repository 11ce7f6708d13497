import { command } from '../../command.js'
import { text } from '../../framework/option.js'
import { importFile, importOptions } from '../../series/importFile.js'

/** `coffer series import`. */
export const importPoints = command({
  path: ['series', 'import'],
  summary: 'Read points of a series from a file',
  description:
    'Takes CSV with a header that names the fields: deltaTime, seconds after the time of the event, or timestamp, then value, or the fields that the type of the series has. Columns of other names are given by --time-column and --column. Files may be of any size.\n\nA point takes the place of one that has its time, so importing a file again makes nothing twice. The import stops at the first line that cannot be taken, and tells its number; points of lines before it may be there then.\n\nTimestamps are seconds or, with --time-unit ms, milliseconds since 1970, or ISO 8601; without a zone they are meant in that of this machine (see TZ).',
  arguments: {
    event: text('The event that holds the series', { required: true, names: 'series' }),
    file: text('The file, or - for stdin', { required: true, completes: 'file' }),
  },
  options: importOptions,
  examples: [
    { type: 'coffer series import ckq2v8x0a0000abcd1234efgh heart.csv', says: 'what coffer series export wrote' },
    {
      type: 'coffer series import --time-column t --column value=bpm -n ckq2v8x0a0000abcd1234efgh heart.csv',
      says: 'see whether a table of other names would be taken',
    },
  ],
  json: '{"points"}, with "dryRun" after --dry-run',
  offline: true,
  run: (context, { event, file, ...options }) => importFile(context, event, file, options),
})
