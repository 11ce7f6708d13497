/** What is still wrong with the settings of a home after one was changed. */
import { loadConfig } from '../../../server/config/config.js'
import { ConfigError, problemText } from '../../../server/config/problem.js'
import type { Context } from '../../command.js'

/** Tells why a node would not start with these settings: some need others, which come one after the other. */
export function writeUnfit({ out, paths, env }: Pick<Context, 'out' | 'paths' | 'env'>): void {
  try {
    loadConfig({ file: paths.config, env })
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    for (const problem of error.problems) out.warn(`A node does not start like this yet: ${problemText(problem)}`)
  }
}
