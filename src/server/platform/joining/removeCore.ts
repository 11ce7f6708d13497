/** Removes cores from a platform. */
import { Failure } from '../../../store/model/failure.js'
import type { Registry } from '../registry/port.js'
import { revokeTokens } from './tokens.js'

/**
 * Removes a core that has no accounts, with its tokens. `now` is in seconds.
 * @throws Failure `unknown-resource`, `invalid-operation` for this core and for one with accounts, `platform-unavailable`
 */
export async function removeCore({ core: own, records, cores, homes }: Pick<Registry, 'core' | 'records' | 'cores' | 'homes'>, id: string, now: number): Promise<void> {
  assertKnown(cores, id)
  if (id === own) throw new Failure('invalid-operation', 'A core cannot remove itself. Run the command on another core.')
  const count = await homes.count(id)
  if (count > 0) throw new Failure('invalid-operation', `The core "${id}" still has ${count === 1 ? 'an account' : `${count} accounts`}; move them first.`, { accounts: count })
  await revokeTokens(records, id, now)
  await cores.change(id, (core) => (core === undefined ? undefined : null))
}

/** Checks that the platform has a core. @throws Failure `unknown-resource` */
export function assertKnown(cores: Pick<Registry['cores'], 'get'>, id: string): void {
  if (cores.get(id) === undefined) throw new Failure('unknown-resource', `The platform has no core "${id}".`, { id })
}
