/** Takes the acknowledgement of a new core: uses its join token, and puts it into service (docs/interface/system.md#cores). */
import { Failure, FormedFailure } from '../../../store/model/failure.js'
import type { CoreView, Registry } from '../registry/port.js'
import { consumeToken, releaseToken, verifyToken, type JoinToken, type TokenFault } from './tokens.js'

/** Body of an acknowledgement. */
interface Acknowledgement {
  coreId: string
  token: string
}

/** The cores of the platform, as a new core learns of them. */
interface ClusterSnapshot {
  cores: { id: string; url: string | null; hosting: string | null; available: boolean }[]
  /** Addresses of all cores, as the host name `lsc` resolves to. */
  lscIps: string[]
}

type AckRegistry = Pick<Registry, 'records' | 'cores'>

const MESSAGES: Record<TokenFault, string> = {
  unknown: 'The join token is unknown, or it was revoked.',
  expired: 'The join token has expired.',
  'already-consumed': 'The join token was used already.',
  'invalid-format': 'This is not a join token.',
}

/**
 * Acknowledges a core: exactly one of concurrent calls with a token succeeds. Its state becomes `active`, and it is available for
 * new accounts. `now` is in seconds; `ip` is the address of the client.
 * @throws Failure `token-invalid` with a reason, `token-coreid-mismatch`, `core-not-pre-registered`, `platform-unavailable`
 */
export async function acknowledgeCore({ records, cores }: AckRegistry, { coreId, token }: Acknowledgement, { now, ip }: { now: number; ip?: string | undefined }): Promise<ClusterSnapshot> {
  const { coreId: intended } = assertUsable(await verifyToken(records, token, now))
  if (intended !== coreId) throw new Failure('token-coreid-mismatch')
  await assertRegistered(cores, coreId)
  assertUsable(await consumeToken(records, token, { now, ip }))
  try {
    await activate(cores, coreId)
  } catch (error) {
    // Otherwise the core could not repeat its call.
    await releaseToken(records, token).catch(() => {})
    throw error
  }
  return snapshotOf(cores.list(), coreId)
}

function assertUsable(state: JoinToken | TokenFault): JoinToken {
  if (typeof state !== 'string') return state
  throw new FormedFailure('token-invalid', MESSAGES[state], (error) => ({ error: { ...error, reason: state } }))
}

/** Checks by a change without effect, which reads the latest record: the list in memory may be behind. */
async function assertRegistered(cores: Registry['cores'], coreId: string): Promise<void> {
  let isRegistered = false
  await cores.change(coreId, (core) => {
    isRegistered = core !== undefined && core.state !== 'lost'
    return undefined
  })
  if (!isRegistered) throw new Failure('core-not-pre-registered')
}

async function activate(cores: Registry['cores'], coreId: string): Promise<void> {
  let isRegistered = false
  await cores.change(coreId, (core) => {
    isRegistered = core !== undefined
    return core === undefined ? undefined : { ...core, available: true, state: core.state === 'pending' ? 'active' : core.state }
  })
  if (!isRegistered) throw new Failure('core-not-pre-registered')
}

/** Returns the cores in service. The new one is shown as available, also while the list in memory is behind. */
function snapshotOf(all: readonly CoreView[], joined: string): ClusterSnapshot {
  const present = all.filter(({ state }) => state !== 'lost')
  return {
    cores: present.map(({ id, url, hosting, available }) => ({ id, url, hosting, available: id === joined || available })),
    lscIps: [...present.flatMap(({ ip }) => ip ?? []), ...present.flatMap(({ ipv6 }) => ipv6 ?? [])],
  }
}
