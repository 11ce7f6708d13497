import { existsSync } from 'node:fs'
import { loadConfig } from '../../../server/config/config.js'
import { command } from '../../command.js'

/** `coffer config check`. */
export const check = command({
  path: ['config', 'check'],
  summary: 'See whether a node would start with these settings',
  description: 'Reads config.toml and the variables as a node that starts does. Every mistake is named with its line; exit 1, or 2 for a variable.',
  examples: [{ type: 'coffer config check --config new.toml', says: 'of another file' }],
  json: '{"ok":true,"file","settings"}: how many settings differ from their defaults; mistakes are a failure',
  reach: 'machine',
  offline: true,
  async run({ out, paths, env }) {
    const file = existsSync(paths.config) ? paths.config : null
    const settings = loadConfig({ file: paths.config, env }).entries().filter(({ origin }) => origin !== 'default').length
    await out.result(
      { ok: true, file, settings },
      { print: () => out.done(`${file ?? 'No file, the defaults'}: fine, ${settings} settings of your own`) },
    )
  },
})
