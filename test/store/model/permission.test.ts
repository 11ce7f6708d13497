import { describe, expect, it } from 'vitest'
import type { Access, AccessType, Level, Permission } from '../../../src/store/model/access.js'
import {
  compileScope,
  effectivePermissions,
  feature,
  levelOn,
  mayContribute,
  mayCreate,
  mayList,
  mayManage,
  mayRead,
  mayReadTags,
} from '../../../src/store/model/permission.js'
import type { Stream } from '../../../src/store/model/stream.js'
import { createTree } from '../../../src/store/model/tree.js'

function stream(id: string, parentId: string | null = null): Stream {
  return { id, name: id, parentId, created: 1, createdBy: 'a', modified: 1, modifiedBy: 'a' }
}

function access(permissions: Permission[], type: AccessType = 'shared'): Access {
  return { id: 'acc1', type, name: 'n', permissions, created: 1, createdBy: 'p', modified: 1, modifiedBy: 'p' }
}

const on = (streamId: string, level: Level): Permission => ({ streamId, level })

const tree = createTree([
  stream('a'),
  stream('b', 'a'),
  stream('c', 'b'),
  stream('d'),
  stream('orphan', 'gone'),
  stream(':_shared-secrets:'),
  stream(':_shared-secrets:acc1', ':_shared-secrets:'),
  stream(':_emails:'),
  stream(':_cmc:'),
  stream(':_cmc:inbox', ':_cmc:'),
])

const level = (permissions: Permission[], id: string) => levelOn(compileScope(access(permissions)), id, tree)

describe('levelOn', () => {
  it.each<[string, Permission[], string, string | undefined]>([
    ['takes the entry on the stream itself', [on('b', 'read')], 'b', 'read'],
    ['takes the nearest ancestor', [on('a', 'read'), on('b', 'manage')], 'c', 'manage'],
    ['lets a child lower the level of its parent', [on('a', 'manage'), on('c', 'none')], 'c', 'none'],
    ['lets a child raise the level of its parent', [on('a', 'none'), on('c', 'read')], 'c', 'read'],
    ['falls back on *', [on('*', 'contribute'), on('b', 'read')], 'a', 'contribute'],
    ['prefers an ancestor to *', [on('*', 'contribute'), on('b', 'read')], 'c', 'read'],
    ['does not inherit upwards', [on('c', 'manage')], 'b', undefined],
    ['gives nothing without an entry', [on('d', 'manage')], 'a', undefined],
    ['takes the later of two entries', [on('a', 'manage'), on('a', 'read')], 'a', 'read'],
    ['answers for * itself', [on('*', 'read')], '*', 'read'],
    ['has no level on * without an entry for it', [on('a', 'manage')], '*', undefined],
    ['takes a stream without its parent for a root', [on('gone', 'manage')], 'orphan', undefined],
    ['reaches the consent area by *', [on('*', 'read')], ':_cmc:inbox', 'read'],
    ['keeps * from shared secrets', [on('*', 'manage')], ':_shared-secrets:acc1', undefined],
    ['keeps * from e-mails', [on('*', 'manage')], ':_emails:', undefined],
    ['gives secrets by their name', [on(':_shared-secrets:', 'read')], ':_shared-secrets:acc1', 'read'],
    ['keeps * from account streams', [on('*', 'manage')], ':_system:language', 'none'],
    ['keeps * from custom account streams', [on('*', 'manage')], ':system:email', 'none'],
    ['gives an account stream by its name', [on(':system:email', 'read')], ':system:email', 'read'],
    ['gives the account by its root', [on(':_system:account', 'read')], ':system:email', 'read'],
    ['puts usage below storage used', [on(':_system:storageUsed', 'read')], ':_system:dbDocuments', 'read'],
    ['keeps * from the audit', [on('*', 'manage')], ':_audit:actions', undefined],
    ['lets an access read its own audit', [], ':_audit:access-acc1', 'read'],
    ['keeps the audit of others', [], ':_audit:access-acc2', undefined],
    ['insists on the own audit', [on(':_audit:access-acc1', 'none')], ':_audit:access-acc1', 'read'],
    ['takes the own audit away', [{ feature: 'selfAudit', setting: 'forbidden' }], ':_audit:access-acc1', undefined],
    ['gives the audit by its root', [on(':_audit:', 'read')], ':_audit:access-acc2', 'read'],
    ['keeps * from other stores', [on('*', 'manage')], ':dummy:x', undefined],
    ['gives a store by its root', [on(':dummy:', 'read')], ':dummy:x', 'read'],
  ])('%s', (_, permissions, id, expected) => {
    expect(level(permissions, id)).toBe(expected)
  })

  it('is manage everywhere for a personal access, ignoring its permissions', () => {
    const scope = compileScope(access([on('a', 'none')], 'personal'))
    for (const id of ['a', '*', ':_system:language', ':_audit:', ':_emails:', 'unknown']) {
      expect(levelOn(scope, id, tree)).toBe('manage')
    }
  })

  it('terminates on a cycle', () => {
    const cycle = createTree([stream('x', 'y'), stream('y', 'x')])
    expect(levelOn(compileScope(access([on('y', 'read')])), 'x', cycle)).toBe('read')
    expect(levelOn(compileScope(access([])), 'x', cycle)).toBeUndefined()
  })
})

describe('rights of a level', () => {
  it.each<[string, boolean[]]>([
    ['none', [false, false, false, false, false]],
    ['read', [true, true, false, false, false]],
    ['create-only', [true, false, true, false, false]],
    ['contribute', [true, true, true, true, false]],
    ['manage', [true, true, true, true, true]],
    ['nothing', [false, false, false, false, false]],
  ])('%s', (name, allowed) => {
    const permissions = name === 'nothing' ? [] : [{ streamId: 'a', level: name } as Permission]
    const scope = compileScope(access(permissions))
    expect([mayList, mayRead, mayCreate, mayContribute, mayManage].map((may) => may(scope, 'c', tree))).toEqual(allowed)
  })
})

describe('effectivePermissions', () => {
  const stored: Permission[] = [on('a', 'read'), { feature: 'selfRevoke', setting: 'forbidden' }]
  const first = on(':_system:account', 'none')
  const last = on(':_audit:access-acc1', 'read')

  it('puts the stored ones between the injected ones', () => {
    expect(effectivePermissions(access(stored))).toEqual([first, ...stored, last])
    expect(effectivePermissions(access(stored, 'app'))).toEqual([first, ...stored, last])
  })

  it('omits the own audit when it is forbidden or disabled', () => {
    const forbidden: Permission[] = [...stored, { feature: 'selfAudit', setting: 'forbidden' }]
    expect(effectivePermissions(access(forbidden))).toEqual([first, ...forbidden])
    expect(effectivePermissions(access(stored), false)).toEqual([first, ...stored])
    const again: Permission[] = [...forbidden, { feature: 'selfAudit', setting: 'allowed' }]
    expect(effectivePermissions(access(again))).toEqual([first, ...again, last])
  })

  it('is undefined for personal accesses', () => {
    expect(effectivePermissions(access(stored, 'personal'))).toBeUndefined()
  })
})

describe('features and tags', () => {
  it('allows features that are not forbidden', () => {
    const permissions: Permission[] = [
      { feature: 'selfRevoke', setting: 'forbidden' },
      { feature: 'webhooks', setting: 'allowed' },
    ]
    const scope = compileScope(access(permissions))
    const names = ['selfRevoke', 'webhooks', 'secretSharing']
    expect(names.map((name) => feature(scope, name))).toEqual(['forbidden', 'allowed', 'allowed'])
  })

  it('keeps forced streams', () => {
    const forced = { feature: 'forcedStreams', setting: 'allowed', streams: ['a', 3, 'b'] } as Permission
    expect(compileScope(access([forced])).forcedStreams).toEqual(['a', 'b'])
    expect(compileScope(access([{ feature: 'forcedStreams', setting: 'allowed' }])).forcedStreams).toEqual([])
  })

  it('allows reading by tags with a tag permission', () => {
    const scope = compileScope(
      access([
        { tag: 'work', level: 'read' },
        { tag: 'secret', level: 'none' },
      ]),
    )
    expect(mayReadTags(scope, ['home', 'work'])).toBe(true)
    expect([mayReadTags(scope, ['home']), mayReadTags(scope, [])]).toEqual([false, false])
    const all = compileScope(
      access([
        { tag: '*', level: 'manage' },
        { tag: 'secret', level: 'none' },
      ]),
    )
    expect([mayReadTags(all, ['home']), mayReadTags(all, ['secret'])]).toEqual([true, false])
    expect(mayReadTags(compileScope(access([], 'personal')), [])).toBe(true)
  })
})
