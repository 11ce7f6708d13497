import * as z from 'zod'
import { findAccessRecord, listManaged } from '../../../store/accesses/accesses.js'
import { parseAccessId } from '../../../store/model/access.js'
import { Failure, invalidFormat } from '../../../store/model/failure.js'
import { writeExclusively } from '../../dispatch/accountWrite.js'
import { notifyAccessChange } from '../consents/peerNotices.js'
import { accessUpdater } from '../../call/callers.js'
import { method, type Call } from '../../call/method.js'
import { assertNotManaged, assertNoMarker } from './delegationMarker.js'
import { updateAccess } from './updateAccess.js'
import { provideStreams, assertPermissionsPossible } from './permissions.js'
import {
  foundAccess,
  assertNoConsentData,
  assertNoDevice,
  assertSameClient,
  assertSameKey,
  assertSerial,
} from './rules.js'
import { AccessUpdate, AccessView, protectedFields, updatable, type AccessUpdateInput } from './schema.js'
import { viewOf } from './view.js'
import type { ConsentDeps } from '../consents/service.js'

/**
 * Route that updates an access; the former state is stored as an earlier version. See docs/interface/accesses.md#updates and
 * docs/interface/accesses.md#versions.
 */
export const update = method({
  id: 'accesses.update',
  summary: 'Changes an access: name, permissions, expiry, client data.',
  http: { verb: 'PUT', path: '/accesses/:id', body: 'update' },
  caller: accessUpdater,
  checksCaller: true,
  input: z.strictObject({
    id: z.string().describe('Id of the access.'),
    update: AccessUpdate.describe('Members to change; others keep their values.'),
  }),
  output: () => z.object({ access: AccessView.describe('The changed access; its id has a new serial.') }),
  fails: [
    'invalid-parameters-format',
    'invalid-request-structure',
    'invalid-item-id',
    'invalid-operation',
    'unknown-resource',
    'item-already-exists',
    'removed-method',
    'stale-resource',
    'api-unavailable',
    'forbidden',
  ],
  run(call: Call<ConsentDeps>, { id, update }) {
    const { account, node } = call
    const input = withoutExpiry(call, update)
    const { seal } = node.store
    assertTargetNotManaged(call, id)
    accessUpdater.assertAllows(call)
    assertUpdatableFields(call, input)
    assertNoConsentData(input.clientData)
    assertPermissionsPossible(call, input.permissions ?? [])
    return writeExclusively(call, async (write) => {
      const children = await listManaged(account, seal, foundAccess(call, account.db, id).access.id)
      return write((t) => {
        const before = foundAccess(call, t, id)
        assertNotManaged(before.access)
        if (before.access.type === 'personal') throw new Failure('forbidden', 'Personal accesses cannot be changed.')
        assertSerial(id, before)
        assertNoDevice(before.access.type, input.deviceName, '#/update/')
        assertNoMarker(input.clientData, before.access)
        assertSameKey(input.clientData, before.access)
        assertSameClient(input.name, before.access)
        const after = updateAccess(call, t, before, children, input)
        provideStreams(call, t, input.permissions ?? [])
        notifyAccessChange(call, t, before.access, after.access)
        return { access: viewOf(call, after) }
      })
    })
  },
})

/** Refuses accesses managed by a delegation, before the caller is checked. */
function assertTargetNotManaged({ account }: Call, id: string): void {
  const target = findAccessRecord(account.db, account.prefix, parseAccessId(id).base)
  if (target !== undefined) assertNotManaged(target)
}

/** Drops `expires` from the update where the settings ignore read-only fields. */
function withoutExpiry(call: Call, update: AccessUpdateInput): AccessUpdateInput & { expires?: null | undefined } {
  const { expires, ...rest } = update
  if (typeof expires !== 'number') return { ...rest, ...(expires === undefined ? {} : { expires }) }
  if (call.node.config.get('updates.ignoreProtectedFields')) return rest
  throw invalidFormat([
    { code: 'INVALID_TYPE', message: 'Set the expiry with expireAfter, in seconds from now; null removes it.', path: '#/update/expires' },
  ])
}

function assertUpdatableFields(call: Call, input: AccessUpdateInput): void {
  const ignored = call.node.config.get('updates.ignoreProtectedFields')
  const others = Object.keys(input).filter(
    (field) => !updatable.has(field) && input[field] !== undefined && !(ignored && protectedFields.has(field)),
  )
  if (others.length > 0) throw new Failure('forbidden', `These fields cannot be changed: ${others.join(', ')}.`)
}
