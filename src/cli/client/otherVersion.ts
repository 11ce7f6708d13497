/** Checks results of a remote node that runs another version of coffer. */
import { productVersion } from '../../server/base/version.js'
import { CommandError } from '../framework/exit.js'

/**
 * Checks that a result has the members that commands of this version read. Accepts additional members, and results of methods
 * without a known schema. Loads the schemas only for another version.
 * @param version version of the node; undefined for one that does not report it
 * @throws CommandError 1 for a missing member, or one of another type
 */
export async function assertReadable(method: string, result: unknown, version: string | undefined): Promise<void> {
  const own = productVersion()
  if (version === own) return
  const { operatorMethods } = await import('../../server/control/operatorMethods.js')
  const parsed = operatorMethods.find(({ id }) => id === method)?.output().safeParse(result)
  const [issue] = parsed?.error?.issues ?? []
  if (issue === undefined) return
  const node = version === undefined ? 'an earlier version of coffer' : `coffer ${version}`
  throw new CommandError(`The node answered ${method} without a valid "${issue.path.join('.')}".`, {
    hint: `It runs ${node}, this machine coffer ${own}: update the older one.`,
  })
}
