/**
 * Validates requested permissions, converts them for storage, and creates the streams they need
 * (docs/interface/accesses.md#creation).
 */
import type { Transaction } from '../../../store/engine/account.js'
import { addStream, replaceStream } from '../../../store/streams/streams.js'
import type { Permission } from '../../../store/model/access.js'
import { Failure, invalidFormat } from '../../../store/model/failure.js'
import { appCodeOf, isReservedStream } from '../../../store/model/cmc.js'
import { hasForbiddenCharacter, isReservedId, splitStorePrefix } from '../../../store/model/slug.js'
import type { Stream } from '../../../store/model/stream.js'
import { ACCOUNT_ROOT } from '../../../store/model/systemStreams.js'
import type { Call } from '../../call/method.js'
import { assertSiblingNameFree } from '../streams/rules.js'
import type { AskedPermission, AskedStreamPermission } from './schema.js'

/** Returns the permissions to store, without members that only serve to create streams. */
export function storedPermissions(input: readonly (AskedPermission | Permission)[]): Permission[] {
  return input.map((permission): Permission => {
    if ('streamId' in permission) return { streamId: permission.streamId ?? '*', level: permission.level }
    if ('tag' in permission) return permission
    const { feature, setting, streams } = permission
    return streams === undefined ? { feature, setting } : { feature, setting, streams }
  })
}

/** Refuses permissions that no access can have. */
export function assertPermissionsPossible(call: Pick<Call, 'node'>, input: readonly AskedPermission[]): void {
  for (const [at, permission] of input.entries()) {
    if ('streamId' in permission) assertStreamGrantable(call, permission)
    else if ('feature' in permission && permission.streams !== undefined && permission.feature !== 'forcedStreams') {
      throw invalidFormat([
        {
          code: 'OBJECT_ADDITIONAL_PROPERTIES',
          message: 'Only forcedStreams has streams.',
          path: `#/permissions/${at}`,
          params: ['streams'],
        },
      ])
    }
  }
}

function assertStreamGrantable(call: Pick<Call, 'node'>, { streamId, level }: AskedStreamPermission): void {
  if (streamId === null || streamId === '*') return
  if (hasForbiddenCharacter(streamId)) {
    throw new Failure('invalid-request-structure', 'The streamId contains a forbidden character.', { streamId })
  }
  const { systemStreams } = call.node
  if (!systemStreams.owns(streamId)) return
  const field = systemStreams.byStream(streamId)
  if (field === undefined && streamId !== ACCOUNT_ROOT) {
    throw new Failure('forbidden', `There is no account stream "${streamId}".`)
  }
  if (field?.isShown === false) {
    throw new Failure('invalid-operation', 'This account stream cannot be shared.', { param: streamId })
  }
  if (level === 'manage') {
    throw new Failure('invalid-operation', 'Account streams cannot be managed.', { param: streamId })
  }
}

const NEW_ID = /^[a-z0-9-]{1,100}$/

/** Creates or restores the streams named by permissions with a `defaultName`. */
export function provideStreams(call: Call, t: Transaction, input: readonly AskedPermission[]): void {
  const names = new Map<string, string>()
  for (const permission of input) {
    if (!('streamId' in permission) || permission.defaultName === undefined) continue
    const { streamId, defaultName } = permission
    if (streamId === null || streamId === '*' || call.node.systemStreams.owns(streamId) || isProvided(streamId)) continue
    const stream = call.account.tree.get(streamId)
    if (stream !== undefined) restore(call, t, stream)
    else if (!names.has(streamId)) {
      if ([...names.values()].includes(defaultName)) throw nameTaken(defaultName)
      makeStream(call, t, streamId, defaultName)
      names.set(streamId, defaultName)
    }
  }
}

const nameTaken = (name: string): Failure =>
  new Failure('item-already-exists', `A sibling stream is already named "${name}".`, { name })

function restore(call: Call, t: Transaction, stream: Stream): void {
  if (stream.trashed !== true) return
  const { trashed: _, ...rest } = stream
  const after: Stream = { ...rest, modified: call.node.clock.now(), modifiedBy: call.author }
  replaceStream(call.account, t, call.node.store.recorder, stream, after)
}

/** Checks for message streams, which are created whatever their `defaultName` (docs/interface/consents.md#streams). */
const isProvided = (id: string): boolean => isReservedStream(id) || appCodeOf(id) !== undefined

/** Refuses ids with which no stream can be created. */
export function assertStreamCreatable(id: string): void {
  if (isProvided(id)) return
  if (splitStorePrefix(id).store !== 'local') throw new Failure('api-unavailable', 'streams.create')
  if (!NEW_ID.test(id)) {
    throw new Failure('invalid-request-structure', 'A stream cannot be created with this id: it has a forbidden character or more than 100 characters.', { streamId: id })
  }
  if (isReservedId(id)) throw new Failure('invalid-item-id', `The id "${id}" is reserved.`, { id })
}

function makeStream(call: Call, t: Transaction, id: string, name: string): void {
  const { account, node } = call
  assertStreamCreatable(id)
  assertSiblingNameFree(call, null, name)
  const now = node.clock.now()
  addStream(account, t, node.store.recorder, {
    id,
    name,
    parentId: null,
    created: now,
    createdBy: call.author,
    modified: now,
    modifiedBy: call.author,
  })
}
