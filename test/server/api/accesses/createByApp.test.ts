/** Rights that apps may delegate to shared accesses: docs/interface/permissions.md#delegation-of-rights. */
import { expect } from 'vitest'
import type { Permission } from '../../../../src/store/model/access.js'
import type { FailureId } from '../../../../src/store/model/failure.js'
import { fakeClock } from '../../../support/nodes/clock.js'
import { describeMethod, type Row, type Stage } from '../../../support/http/methodTable.js'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { startTestNode, type TestNode } from '../../../support/nodes/node.js'
import { newStage } from '../../../support/http/methodTable.js'
import { ask, errorOf, share } from '../../../support/people/shares.js'

const on = (streamId: string, level: string): Permission => ({ streamId, level }) as Permission
const tag = (name: string, level: string): Permission => ({ tag: name, level }) as Permission
const forbid = (feature: string): Permission => ({ feature, setting: 'forbidden' })
const allow = (feature: string): Permission => ({ feature, setting: 'allowed' })

/** Creates `heart` with its child `rate`, and `diary` beside it. */
async function createStreams(s: Stage): Promise<void> {
  await s.arrange('streams.create', { id: 'heart', name: 'Heart' })
  await s.arrange('streams.create', { id: 'rate', name: 'Rate', parentId: 'heart' })
  await s.arrange('streams.create', { id: 'diary', name: 'Diary' })
}

const withStreams = (permissions: Permission[]) => async (s: Stage) => {
  await createStreams(s)
  return { name: 'shared', permissions }
}

const grants = (name: string, as: Permission[], requested: Permission[], granted: Permission[] = requested): Row => ({
  it: name,
  as,
  given: withStreams(requested),
  gives: 201,
  then: (result) => {
    expect((result['access'] as { permissions: Permission[] }).permissions).toEqual(granted)
  },
})
const refuses = (name: string, as: Permission[], requested: Permission[], id: FailureId = 'forbidden'): Row => ({
  it: name,
  as,
  given: withStreams(requested),
  gives: [id === 'forbidden' ? 403 : 400, id],
})

const levels = ['none', 'read', 'create-only', 'contribute', 'manage']
const grantableLevels: Record<string, string[]> = {
  none: ['none'],
  read: ['none', 'read'],
  'create-only': [],
  contribute: ['none', 'read', 'create-only', 'contribute'],
  manage: levels,
}

describeMethod('accesses.create', [
  ...Object.entries(grantableLevels).flatMap(([own, grantable]) =>
    levels.map((level) =>
      grantable.includes(level)
        ? grants(`an app with ${own} grants ${level}`, [on('diary', 'read'), on('heart', own)], [on('heart', level)])
        : refuses(`an app with ${own} does not grant ${level}`, [on('diary', 'read'), on('heart', own)], [
            on('heart', level),
          ]),
    ),
  ),
  refuses('no permission is granted on a stream without own permission', [on('heart', 'manage')], [on('diary', 'read')]),
  refuses('one excessive permission refuses the whole access', [on('heart', 'read')], [on('heart', 'read'), on('*', 'read')]),
  grants('a level is inherited from the parent stream', [on('heart', 'read')], [on('rate', 'read')]),
  refuses('a lower level on a child stream limits it', [on('heart', 'manage'), on('rate', 'read')], [on('rate', 'contribute')]),
  grants('an app with * grants single streams', [on('*', 'contribute')], [on('heart', 'read')]),
  grants('an app with * grants *', [on('*', 'contribute')], [on('*', 'read')]),
  refuses('* does not include account streams', [on('*', 'manage')], [on(':system:email', 'read')]),
  grants('an app with an account stream grants it', [on(':system:email', 'read')], [on(':system:email', 'read')]),
  refuses('manage on an account stream is never granted', [on(':system:email', 'contribute')], [on(':system:email', 'manage')], 'invalid-operation'),
  refuses('a share with features alone is refused', [on('*', 'manage')], [forbid('selfRevoke')]),
  refuses('a share without permissions is refused', [on('*', 'manage')], []),
  grants(
    'lower levels on child streams are copied to the share',
    [on('heart', 'manage'), on('rate', 'read')],
    [on('heart', 'contribute')],
    [on('heart', 'contribute'), on('rate', 'read')],
  ),
  grants(
    'streams excluded from * are copied to the share',
    [on('*', 'manage'), on('rate', 'none'), on('diary', 'manage')],
    [on('*', 'read')],
    [on('*', 'read'), on('rate', 'none')],
  ),
  grants(
    'an unreadable child stream is excluded for a reader',
    [on('heart', 'manage'), on('rate', 'create-only')],
    [on('heart', 'read')],
    [on('heart', 'read'), on('rate', 'none')],
  ),
  grants(
    'other excluded streams stay excluded, for events in several streams',
    [on('heart', 'read'), on('diary', 'none')],
    [on('heart', 'read')],
    [on('heart', 'read'), on('diary', 'none')],
  ),
  grants(
    'a lower requested level is preserved',
    [on('heart', 'manage'), on('rate', 'contribute')],
    [on('heart', 'contribute'), on('rate', 'none')],
  ),
  grants('a share can have stricter features than its app', [on('heart', 'read')], [on('heart', 'read'), forbid('selfRevoke')]),
  grants(
    'forbidden features are copied to the share',
    [on('heart', 'read'), forbid('secretSharing'), forbid('webhooks'), allow('selfAudit')],
    [on('heart', 'read')],
    [on('heart', 'read'), forbid('secretSharing'), forbid('webhooks')],
  ),
  refuses('a forbidden feature cannot be allowed to a share', [on('heart', 'read'), forbid('secretSharing')], [
    on('heart', 'read'),
    allow('secretSharing'),
  ]),
  grants('an equal setting is accepted', [on('heart', 'read'), forbid('selfAudit')], [on('heart', 'read'), forbid('selfAudit')]),
  grants(
    'forced streams are copied to the share',
    [on('heart', 'read'), { feature: 'forcedStreams', setting: 'allowed', streams: ['diary'] }],
    [on('heart', 'read')],
    [on('heart', 'read'), { feature: 'forcedStreams', setting: 'allowed', streams: ['diary'] }],
  ),
  grants('an app with a tag grants it at a lower level', [tag('work', 'contribute')], [tag('work', 'read')]),
  grants('an app with all tags grants one', [tag('*', 'read')], [tag('work', 'read')]),
  grants('an app with all tags grants all', [tag('*', 'manage')], [tag('*', 'contribute')]),
  refuses('a tag is not granted beyond the own level', [tag('work', 'read')], [tag('work', 'contribute')]),
  refuses('a tag without own permission is not granted', [tag('work', 'manage')], [tag('home', 'read')]),
  refuses('an app with one tag does not grant all', [tag('work', 'manage')], [tag('*', 'read')]),
  refuses('an app with streams does not grant tags', [on('*', 'manage')], [tag('work', 'read')]),
  {
    it: 'an app cannot create an app access',
    as: [on('*', 'manage')],
    send: { name: 'x', type: 'app', permissions: [on('*', 'read')] },
    gives: [403, 'forbidden'],
  },
  {
    it: 'an app cannot create a personal access',
    as: [on('*', 'manage')],
    send: { name: 'x', type: 'personal', permissions: [] },
    gives: [403, 'forbidden'],
  },
  {
    it: 'invalid parameters are reported as such',
    as: [on('*', 'manage')],
    send: { name: 'x', permissions: [{ streamId: 'a' }] },
    gives: [400, 'invalid-parameters-format'],
  },
  {
    it: 'default names of streams create no streams',
    as: [on('*', 'manage')],
    send: { name: 'x', permissions: [{ streamId: 'new', level: 'read', defaultName: 'New' }] },
    gives: 201,
    then: async (_, s) => {
      const { streams: listed } = await s.arrange('streams.get', {})
      expect((listed as { id: string }[]).map(({ id }) => id)).toEqual([':_audit:', ':_system:account', ':_cmc:'])
    },
  },
  {
    it: 'a create-only access cannot share, not even with selfRevoke forbidden',
    as: [on('heart', 'create-only'), forbid('selfRevoke')],
    given: withStreams([on('heart', 'create-only')]),
    gives: [403, 'forbidden'],
  },
  {
    it: 'the owner grants create-only, with features',
    send: { name: 'x', permissions: [on('heart', 'create-only'), forbid('selfRevoke')] },
    gives: 201,
  },
])

describe('shares of an app', () => {
  const clock = fakeClock()
  let node: TestNode
  beforeAll(async () => {
    node = await startTestNode({}, { clock })
  })
  afterAll(() => node.stop())

  const read = { permissions: [on('*', 'read')] }

  it('cannot share in turn', async () => {
    const s = await newStage(node)
    const app = await share(s, { type: 'app', ...read })
    const { token } = await share(s, read, app.token)
    const answer = await ask(s, token, 'POST', '/accesses', { name: 'y', ...read })
    expect([answer.status, errorOf(answer).id]).toEqual([403, 'forbidden'])
  })

  it('expire no later than the app', async () => {
    const s = await newStage(node)
    const app = await share(s, { type: 'app', ...read, expireAfter: 100 })
    const inherited = await share(s, read, app.token)
    const shorter = await share(s, { ...read, expireAfter: 50 }, app.token)
    const equal = await share(s, { ...read, expireAfter: 100 }, app.token)
    expect([inherited.expires, shorter.expires, equal.expires]).toEqual([app.expires, clock.now() + 50, app.expires])
    const answer = await ask(s, app.token, 'POST', '/accesses', { name: 'late', ...read, expireAfter: 101 })
    expect([answer.status, errorOf(answer)]).toMatchObject([
      400,
      { id: 'invalid-operation', data: { parentExpires: app.expires, requestedExpires: clock.now() + 101 } },
    ])
  })

  it('have no default expiry if the app has none', async () => {
    const s = await newStage(node)
    const app = await share(s, { type: 'app', ...read })
    expect(await share(s, read, app.token)).not.toHaveProperty('expires')
    expect((await share(s, { ...read, expireAfter: 9 }, app.token)).expires).toBe(clock.now() + 9)
  })

  it('name the app in createdBy and modifiedBy', async () => {
    const s = await newStage(node)
    const app = await share(s, { type: 'app', ...read })
    expect(await share(s, read, app.token)).toMatchObject({ createdBy: app.id, modifiedBy: app.id })
    await ask(s, s.owner, 'PUT', `/accesses/${app.id}`, { name: 'renamed' })
    const versioned = await share(s, read, `${app.token} phone`)
    expect(versioned).toMatchObject({ createdBy: `${app.id}:1 phone` })
    expect(versioned).not.toHaveProperty('manager')
  })
})
