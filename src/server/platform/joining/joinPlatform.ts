/** Stores in a node what a join bundle makes it, and acknowledges the join. */
import { describeFailure, Failure } from '../../../store/model/failure.js'
import { sendAck } from './ackClient.js'
import { readPendingAck, readPlatformIdentity, writePendingAck, writePlatformKey, type PendingAck, type PlatformKey, type SecretStore } from './platformKey.js'

/**
 * Stores the platform key, and the acknowledgement to send.
 * @param accounts number of accounts of the node
 * @throws Failure `invalid-operation` for a node with accounts, or of another platform
 */
export async function adoptPlatform(store: SecretStore, identity: PlatformKey, pending: PendingAck, accounts: number): Promise<void> {
  const known = readPlatformIdentity(store)
  if (known !== undefined && known.platform !== identity.platform) {
    throw new Failure('invalid-operation', `This node belongs to the platform "${known.platform}" already.`, { platform: known.platform })
  }
  if (known === undefined && accounts > 0) {
    throw new Failure('invalid-operation', 'This node has accounts, whose names may exist on the platform. Join with a new node, and import the accounts there.', { accounts })
  }
  await writePlatformKey(store, identity)
  await writePendingAck(store, pending)
}

/** Result of an acknowledgement. */
interface AckResult {
  coreId: string
  /** Ids of the cores of the platform. */
  cores: string[]
}

/**
 * Sends the acknowledgement of this core, and forgets it once it was accepted.
 * @throws Failure `invalid-operation` when there is none to send; the failure of the platform; `platform-unavailable` when the
 * core that takes it does not answer
 */
export async function acknowledgeJoin(store: SecretStore): Promise<AckResult> {
  const pending = readPendingAck(store)
  if (pending === undefined) throw new Failure('invalid-operation', 'This node has no acknowledgement to send: it has joined, or was never added to a platform.')
  const answer = await sendAck(pending)
  if ('cause' in answer) {
    throw new Failure('platform-unavailable', `${new URL(pending.ackUrl).origin} does not answer: ${answer.cause}.`, { retryAfterSeconds: 5 })
  }
  if (answer.status !== 200) throw refusalOf(answer.status, answer.body)
  await writePendingAck(store, undefined)
  return { coreId: pending.coreId, cores: coreIds(answer.body) }
}

/** Returns the failure that a core answered; its reason is in `data`. */
function refusalOf(status: number, body: Record<string, unknown>): Failure {
  const error = body['error']
  if (typeof error !== 'object' || error === null) return new Failure('platform-unavailable', `The platform answered with status ${status}.`)
  const { reason } = error as { reason?: unknown }
  const failure = describeFailure(error as { id?: unknown; message?: unknown })
  return typeof reason === 'string' ? new Failure(failure.id, failure.message, { reason }) : failure
}

function coreIds({ cluster }: Record<string, unknown>): string[] {
  const cores: unknown = typeof cluster === 'object' && cluster !== null && 'cores' in cluster ? cluster.cores : undefined
  return Array.isArray(cores) ? cores.flatMap((core: unknown) => (typeof core === 'object' && core !== null && 'id' in core && typeof core.id === 'string' ? [core.id] : [])) : []
}
