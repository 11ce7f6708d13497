/** Walks every field of the table of accesses through merge, validation and integrity. */
import { describe, expect, it } from 'vitest'
import type { AccessDeletion } from '../../../../src/store/model/access.js'
import { accessFieldNames, accessFields, accessRegisters } from '../../../../src/store/model/accesses/fields.js'
import { editAccess, isAccessField, joinAccesses } from '../../../../src/store/model/accessMerge.js'
import { accessIntegrity } from '../../../../src/store/model/integrity.js'
import { Secret } from '../../../../src/store/model/secret.js'
import { accessFault } from '../../../../src/sync/merge/accessShape.js'

const TOKEN = 'token'
const bare: AccessDeletion = {
  id: 'ck1',
  type: 'shared',
  name: 'Shared',
  deviceName: 'phone',
  permissions: [{ streamId: 'heart', level: 'read' }],
  expires: 90,
  clientData: { a: 1 },
  alias: 'r-abcdefgh',
  serial: 1,
  manager: 'ck2',
  created: 5,
  createdBy: 'ca1',
  modified: 7,
  modifiedBy: 'ca2',
  deleted: 9,
}
const edited = editAccess({ ...bare, name: 'Before' }, bare, 'actor-a')
/** A deleted access with a value in every field. */
const access: AccessDeletion = { ...edited, integrity: accessIntegrity({ ...edited, token: TOKEN }, 'sha256') } as AccessDeletion

describe('each field of an access', () => {
  it('has a value in this test', () => expect(Object.keys(access).sort()).toEqual([...accessFieldNames].sort()))

  it('is preserved by a merge, in the order of the table', () => {
    const joined = joinAccesses(access, access, TOKEN)
    expect(joined).toStrictEqual(Object.fromEntries(accessFieldNames.map((name) => [name, access[name]])))
    expect(Object.keys(joined)).toEqual(accessFieldNames)
  })

  it.each(accessRegisters)('is replicated to another node when it changes: %s', (name) => {
    const next = { permissions: [], expires: 80, created: 6 }[name as string] ?? `${String(access[name])}x`
    const ours = editAccess(access, { ...access, [name]: next, modified: 8 }, 'actor-a')
    expect(isAccessField(name)).toBe(true)
    expect(joinAccesses(access, ours, TOKEN)).toMatchObject({ [name]: next, modified: 8 })
  })

  it.each(accessFieldNames)('is validated when it is received: %s', (name) => {
    const { integrity: _, ...others } = access
    expect(accessFault(access, new Secret(TOKEN))).toBeUndefined()
    expect(accessFault({ ...others, [name]: { odd: null, seen: 5 } } as never, new Secret(TOKEN))).toEqual(
      name === 'clientData' ? undefined : `Its ${name} is invalid.`,
    )
  })

  it('is covered by the integrity hash, or declared as not covered', () => {
    for (const [name, { isHashed }] of Object.entries(accessFields)) {
      const other = accessIntegrity({ ...access, [name]: 'other', token: TOKEN }, 'sha256')
      expect(other !== access.integrity, name).toBe(isHashed)
    }
  })
})
