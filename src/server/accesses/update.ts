import * as z from 'zod'
import { findAccessRecord, listManaged } from '../../store/accesses.js'
import { parseAccessId } from '../../store/model/access.js'
import { Failure, invalidFormat } from '../../store/model/failure.js'
import { changeAlone } from '../change.js'
import { tellOfChange } from '../consent/notices.js'
import { method, type Call } from '../method.js'
import { refuseManaged, refuseMarker } from './lineage.js'
import { stageNextVersion } from './nextVersion.js'
import { provideStreams, refuseImpossible } from './permissions.js'
import {
  foundAccess,
  isCreateOnlyCaller,
  refuseConsentData,
  refuseDevice,
  refuseOtherClient,
  refuseOtherKey,
  refuseStale,
} from './rules.js'
import { AccessUpdate, AccessView, protectedFields, updatable, type AccessUpdateInput } from './schema.js'
import { viewOf } from './view.js'

/** Specification, "Data methods"; data supplement 6.5, 22. The former state stays as an earlier version. */
export const update = method({
  id: 'accesses.update',
  summary: 'Changes an access: name, permissions, expiry, client data.',
  http: { verb: 'PUT', path: '/accesses/:id' },
  body: 'update',
  input: z.strictObject({
    id: z.string().describe('Id of the access.'),
    update: AccessUpdate.describe('Members to change; others keep their values.'),
  }),
  output: z.object({ access: AccessView.describe('The changed access; its id has a new serial.') }),
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
  run(call, { id, update }) {
    const { account, node } = call
    const asked = withoutExpiry(call, update)
    const { seal } = node.store
    refuseManagedTarget(call, id)
    refuseCaller(call)
    refuseOtherFields(call, asked)
    refuseConsentData(asked.clientData)
    refuseImpossible(call, asked.permissions ?? [])
    return changeAlone(call, async (write) => {
      const children = await listManaged(account, seal, foundAccess(call, account.db, id).access.id)
      return write((t) => {
        const before = foundAccess(call, t, id)
        refuseManaged(before.access)
        if (before.access.type === 'personal') throw new Failure('forbidden', 'Personal accesses do not change.')
        refuseStale(id, before)
        refuseDevice(before.access.type, asked.deviceName, '#/update/')
        refuseMarker(asked.clientData, before.access)
        refuseOtherKey(asked.clientData, before.access)
        refuseOtherClient(asked.name, before.access)
        const after = stageNextVersion(call, t, before, children, asked)
        provideStreams(call, t, asked.permissions ?? [])
        tellOfChange(call, t, before.access, after.access)
        return { access: viewOf(call, after) }
      })
    })
  },
})

/** What belongs to a delegation is refused before it matters who asks. */
function refuseManagedTarget({ account }: Call, id: string): void {
  const target = findAccessRecord(account.db, account.prefix, parseAccessId(id).base)
  if (target !== undefined) refuseManaged(target)
}

/** Only the owner changes accesses; for apps this was taken away. */
function refuseCaller(call: Call): void {
  const { access } = call.caller
  if (access.type === 'personal') return
  if (access.type === 'shared' || isCreateOnlyCaller(call)) throw new Failure('forbidden')
  throw new Failure('removed-method', 'Apps cannot change accesses any more: delete the access and make another.')
}

/** The update without the time of expiry that an answer said, where read-only fields are left aside. */
function withoutExpiry(call: Call, update: AccessUpdateInput): AccessUpdateInput & { expires?: null | undefined } {
  const { expires, ...rest } = update
  if (typeof expires !== 'number') return { ...rest, ...(expires === undefined ? {} : { expires }) }
  if (call.node.config.get('updates.ignoreProtectedFields')) return rest
  throw invalidFormat([
    { code: 'INVALID_TYPE', message: 'An expiry is set by expireAfter, in seconds from now, and removed by null.', path: '#/update/expires' },
  ])
}

function refuseOtherFields(call: Call, asked: AccessUpdateInput): void {
  const ignored = call.node.config.get('updates.ignoreProtectedFields')
  const others = Object.keys(asked).filter(
    (field) => !updatable.has(field) && asked[field] !== undefined && !(ignored && protectedFields.has(field)),
  )
  if (others.length > 0) throw new Failure('forbidden', `These fields cannot be changed: ${others.join(', ')}.`)
}
