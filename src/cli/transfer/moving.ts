import type { Context } from '../command.js'
import type { ExitCode } from '../exit.js'
export function importFrom(_context: Context, _asked: unknown): Promise<ExitCode | undefined> {
  return Promise.resolve(undefined)
}
