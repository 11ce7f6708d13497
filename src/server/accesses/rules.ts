/** What holds for accesses in several methods: who takes part, which one is meant, names, expiry (data supplement 6). */
import { isDeepStrictEqual } from 'node:util'
import { accessNamed, findAccess, type LiveAccess } from '../../store/accesses/accesses.js'
import type { Transaction } from '../../store/engine/account.js'
import { accessIdOf, parseAccessId, type Access } from '../../store/model/access.js'
import { CMC } from '../../store/model/consentAccess.js'
import { Failure, invalidFormat } from '../../store/model/failure.js'
import { isCreateOnly } from '../../store/model/grant.js'
import type { Call } from '../method.js'

type Reader = { get(key: string): string | undefined }

/** Whether the caller holds nothing but `create-only`: it manages no accesses. */
export const isCreateOnlyCaller = ({ caller }: Call): boolean => isCreateOnly(caller.scope, caller.access.permissions)

/** The access that an id means, whatever version it names. Refuses unknown and deleted ones. */
export function foundAccess(call: Call, reader: Reader, id: string): LiveAccess {
  const { base } = parseAccessId(id)
  const live = findAccess(reader, call.node.store.seal, call.account.prefix, base)
  if (live === undefined) throw new Failure('unknown-resource', `Unknown access "${id}".`)
  return live
}

/** Refuses an id that is not that of the latest version, so that nobody changes what he has not seen. */
export function assertSerial(id: string, { access }: LiveAccess): void {
  if (id === accessIdOf(access)) return
  throw new Failure('stale-resource', 'The access has changed since; read it again.', {
    provided: id,
    currentSerial: access.serial ?? 0,
  })
}

/** Whether a caller that is an app made this shared access. */
export const isManagedBy = (call: Call, access: Access): boolean =>
  access.manager !== undefined && access.manager === call.caller.access.id

/** Refuses a name that another access of the type, with the same device, has. */
export function assertNameFree(t: Transaction, access: Access): void {
  const holder = accessNamed(t, t.account, access)
  if (holder === undefined || holder === access.id) return
  const { type, name, deviceName = null } = access
  throw new Failure('item-already-exists', 'An access of this type already has this name.', { type, name, deviceName })
}

/** Refuses a device where there is none: only apps have one. */
export function assertNoDevice(type: Access['type'], deviceName: string | null | undefined, root = '#/'): void {
  if (type === 'app' || deviceName === undefined || deviceName === null) return
  throw invalidFormat([
    { code: 'NOT_PASSED', message: 'Only accesses of apps have a deviceName.', path: `${root}deviceName` },
  ])
}

/** Refuses client data with a key that the node keeps for itself. */
export function assertNoReservedData(clientData: object | null | undefined): void {
  if (clientData === undefined || clientData === null) return
  if (Object.hasOwn(clientData, 'dpop')) throw new Failure('forbidden', 'The key "dpop" of clientData is reserved.')
  assertNoConsentData(clientData)
}

/** Refuses client data that say what an access has to do with a consent. */
export function assertNoConsentData(clientData: object | null | undefined): void {
  if (clientData === undefined || clientData === null || !Object.hasOwn(clientData, CMC)) return
  throw new Failure('invalid-operation', `The key "${CMC}" of clientData is kept by the node.`, { id: 'cmc-clientdata-cmc-forbidden' })
}

/** Refuses that an update changes the key that an access is bound to: client data is replaced as a whole (consent supplement 4.8). */
export function assertSameKey(clientData: object | null | undefined, before: Access): void {
  if (clientData === undefined) return
  const input: unknown = clientData !== null && 'dpop' in clientData ? clientData.dpop : undefined
  if (isDeepStrictEqual(input, before.clientData?.['dpop'])) return
  throw new Failure('forbidden', 'The key "dpop" of clientData is reserved: it stays as it is.')
}

/** Refuses to rename an access of an OAuth client: it is by its name that it ends with the client. */
export function assertSameClient(name: string | undefined, before: Access): void {
  if (name === undefined || name === before.name || !before.name.startsWith('oauth:')) return
  throw new Failure('forbidden', 'Accesses of OAuth clients cannot be renamed.')
}

/** Refuses that a shared access outlives the app that manages it. */
export function assertExpiresInTime(expires: number | undefined, manager: Access): void {
  const { expires: parentExpires } = manager
  if (parentExpires === undefined || (expires !== undefined && expires <= parentExpires)) return
  throw new Failure('invalid-operation', 'The access would outlive the app that manages it.', {
    parentExpires,
    requestedExpires: expires ?? null,
  })
}
