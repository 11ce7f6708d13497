import { loadConfig } from '../../../server/config/config.js'
import type { ConfigEntry } from '../../../server/config/config.js'
import { command } from '../../command.js'
import { flag } from '../../framework/option.js'
import type { Column } from '../../terminal/output/table.js'
import { hidden, plainValue } from './settingArgument.js'

/** `coffer config list`. */
export const list = command({
  path: ['config', 'list'],
  summary: 'List all settings and their values',
  description:
    'Shows the values that a node would use if started now. Secrets are hidden; see coffer config get --reveal.',
  options: { origin: flag('Show where each value comes from') },
  examples: [
    { type: 'coffer config list', description: 'all settings' },
    { type: 'coffer config list --origin', description: 'include the file and line, or the variable, of each value' },
  ],
  json:
    '{"settings":[{"key","value","origin","place"}]}; origin is flag, environment, file or default; place is absent ' +
    'for defaults; a setting that is not set is null; secrets are "•••".',
  reach: 'machine',
  offline: true,
  async run({ out, paths, env }, { origin }) {
    const entries = loadConfig({ file: paths.config, env }).entries()
    const columns: Array<Column<ConfigEntry>> = [
      { title: 'SETTING', cell: (entry) => entry.key },
      { title: 'VALUE', cell: (entry) => plainValue(visibleValue(entry)), shrinks: true },
    ]
    if (origin) columns.push({ title: 'ORIGIN', cell: (entry) => entry.place ?? entry.origin, shrinks: true })
    const settings = entries.map((entry) => ({
      key: entry.key,
      value: visibleValue(entry),
      origin: entry.origin,
      ...(entry.place === undefined ? {} : { place: entry.place }),
    }))
    const count = `${entries.length} settings`
    await out.list({ settings }, { columns, rows: entries, id: (entry) => entry.key, count })
  },
})

function visibleValue({ secret, value }: ConfigEntry): unknown {
  return secret && value !== null ? hidden : value
}
