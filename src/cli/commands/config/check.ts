import { existsSync } from 'node:fs'
import { loadConfig } from '../../../server/config/config.js'
import { command } from '../../command.js'

/** `coffer config check`. */
export const check = command({
  path: ['config', 'check'],
  summary: 'Check the configuration without starting a node',
  description: 'Reads config.toml and the environment variables as a starting node does. Every error is reported with its line; exit 1, or 2 for a variable.',
  examples: [{ type: 'coffer config check --config new.toml', description: 'check a different file' }],
  json: '{"ok":true,"file","settings"}: how many settings differ from their defaults; errors are reported as a failure',
  reach: 'machine',
  offline: true,
  async run({ out, paths, env }) {
    const file = existsSync(paths.config) ? paths.config : null
    const settings = loadConfig({ file: paths.config, env }).entries().filter(({ origin }) => origin !== 'default').length
    await out.result(
      { ok: true, file, settings },
      { print: () => out.done(`${file ?? 'No file, only defaults'}: valid, ${settings} settings differ from the defaults`) },
    )
  },
})
