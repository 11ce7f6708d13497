/** Warnings about an invalid configuration after a setting was changed. */
import { loadConfig } from '../../../server/config/config.js'
import { ConfigError, problemText } from '../../../server/config/problem.js'
import type { Context } from '../../command.js'

/** Warns if a node would not start with these settings: some settings require others, which may be set next. */
export function warnIfInvalid({ out, paths, env }: Pick<Context, 'out' | 'paths' | 'env'>): void {
  try {
    loadConfig({ file: paths.config, env })
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    for (const problem of error.problems) out.warn(`A node cannot start with these settings yet: ${problemText(problem)}`)
  }
}
