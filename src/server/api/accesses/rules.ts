/** Rules shared by the access methods: callers, lookup by id, names, expiry (docs/interface/accesses.md). */
import { isDeepStrictEqual } from 'node:util'
import { accessNamed, findAccess, type LiveAccess } from '../../../store/accesses/accesses.js'
import type { Transaction } from '../../../store/engine/account.js'
import type { RecordReader } from '../../../store/engine/recordReader.js'
import { accessIdOf, parseAccessId, type Access } from '../../../store/model/access.js'
import { CMC } from '../../../store/model/consentAccess.js'
import { Failure, invalidFormat } from '../../../store/model/failure.js'
import type { Call } from '../../call/method.js'

/** Finds the access of an id, whatever version the id names. @throws Failure for unknown and deleted ones */
export function foundAccess(call: Call, reader: RecordReader, id: string): LiveAccess {
  const { base } = parseAccessId(id)
  const live = findAccess(reader, call.node.store.seal, call.account.prefix, base)
  if (live === undefined) throw new Failure('unknown-resource', `Unknown access "${id}".`)
  return live
}

/** Refuses an id that is not that of the latest version, so that unseen changes are not overwritten. */
export function assertSerial(id: string, { access }: LiveAccess): void {
  if (id === accessIdOf(access)) return
  throw new Failure('stale-resource', 'The access has changed since; read it again.', {
    provided: id,
    currentSerial: access.serial ?? 0,
  })
}

/** Checks whether the caller is an app that created this shared access. */
export const isManagedBy = (call: Call, access: Access): boolean =>
  access.manager !== undefined && access.manager === call.caller.access.id

/** Refuses a name that another access of the same type and device has. */
export function assertNameFree(t: Transaction, access: Access): void {
  const holder = accessNamed(t, t.account, access)
  if (holder === undefined || holder === access.id) return
  const { type, name, deviceName = null } = access
  throw new Failure('item-already-exists', 'An access of this type already has this name.', { type, name, deviceName })
}

/** Refuses a device name for any access but an app's. */
export function assertNoDevice(type: Access['type'], deviceName: string | null | undefined, root = '#/'): void {
  if (type === 'app' || deviceName === undefined || deviceName === null) return
  throw invalidFormat([
    { code: 'NOT_PASSED', message: 'Only accesses of apps have a deviceName.', path: `${root}deviceName` },
  ])
}

/** Refuses client data with a key reserved for the node. */
export function assertNoReservedData(clientData: object | null | undefined): void {
  if (clientData === undefined || clientData === null) return
  if (Object.hasOwn(clientData, 'dpop')) throw new Failure('forbidden', 'The key "dpop" of clientData is reserved.')
  assertNoConsentData(clientData)
}

/** Refuses client data that set the consent key. */
export function assertNoConsentData(clientData: object | null | undefined): void {
  if (clientData === undefined || clientData === null || !Object.hasOwn(clientData, CMC)) return
  throw new Failure('invalid-operation', `The key "${CMC}" of clientData is reserved for the node.`, { id: 'cmc-clientdata-cmc-forbidden' })
}

/**
 * Refuses updates that change the key an access is bound to, as client data are replaced as a whole
 * (docs/interface/oauth.md#dpop).
 */
export function assertSameKey(clientData: object | null | undefined, before: Access): void {
  if (clientData === undefined) return
  const input: unknown = clientData !== null && 'dpop' in clientData ? clientData.dpop : undefined
  if (isDeepStrictEqual(input, before.clientData?.['dpop'])) return
  throw new Failure('forbidden', 'The key "dpop" of clientData is reserved and cannot be changed.')
}

/** Refuses to rename an access of an OAuth client: deleting the client finds its accesses by name. */
export function assertSameClient(name: string | undefined, before: Access): void {
  if (name === undefined || name === before.name || !before.name.startsWith('oauth:')) return
  throw new Failure('forbidden', 'Accesses of OAuth clients cannot be renamed.')
}

/** Refuses a shared access that outlives the app managing it. */
export function assertExpiresInTime(expires: number | undefined, manager: Access): void {
  const { expires: parentExpires } = manager
  if (parentExpires === undefined || (expires !== undefined && expires <= parentExpires)) return
  throw new Failure('invalid-operation', 'The access would outlive the app that manages it.', {
    parentExpires,
    requestedExpires: expires ?? null,
  })
}
