/** What apps may share: docs/interface/permissions.md#delegation-of-rights. */
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

/** `heart` with `rate` below it, and `diary` beside. */
async function streams(s: Stage): Promise<void> {
  await s.arrange('streams.create', { id: 'heart', name: 'Heart' })
  await s.arrange('streams.create', { id: 'rate', name: 'Rate', parentId: 'heart' })
  await s.arrange('streams.create', { id: 'diary', name: 'Diary' })
}

const asking = (permissions: Permission[]) => async (s: Stage) => {
  await streams(s)
  return { name: 'shared', permissions }
}

const grants = (name: string, as: Permission[], asked: Permission[], given: Permission[] = asked): Row => ({
  it: name,
  as,
  given: asking(asked),
  gives: 201,
  then: (result) => {
    expect((result['access'] as { permissions: Permission[] }).permissions).toEqual(given)
  },
})
const refuses = (name: string, as: Permission[], asked: Permission[], id: FailureId = 'forbidden'): Row => ({
  it: name,
  as,
  given: asking(asked),
  gives: [id === 'forbidden' ? 403 : 400, id],
})

const levels = ['none', 'read', 'create-only', 'contribute', 'manage']
const handedDown: Record<string, string[]> = {
  none: ['none'],
  read: ['none', 'read'],
  'create-only': [],
  contribute: ['none', 'read', 'create-only', 'contribute'],
  manage: levels,
}

describeMethod('accesses.create', [
  ...Object.entries(handedDown).flatMap(([own, given]) =>
    levels.map((level) =>
      given.includes(level)
        ? grants(`a holder of ${own} gives ${level}`, [on('diary', 'read'), on('heart', own)], [on('heart', level)])
        : refuses(`a holder of ${own} does not give ${level}`, [on('diary', 'read'), on('heart', own)], [
            on('heart', level),
          ]),
    ),
  ),
  refuses('nothing is given where nothing is held', [on('heart', 'manage')], [on('diary', 'read')]),
  refuses('one permission that is not held refuses all', [on('heart', 'read')], [on('heart', 'read'), on('*', 'read')]),
  grants('a level comes from the stream above', [on('heart', 'read')], [on('rate', 'read')]),
  refuses('a lower level below counts', [on('heart', 'manage'), on('rate', 'read')], [on('rate', 'contribute')]),
  grants('the holder of * gives narrower', [on('*', 'contribute')], [on('heart', 'read')]),
  grants('the holder of * gives *', [on('*', 'contribute')], [on('*', 'read')]),
  refuses('* does not reach account streams', [on('*', 'manage')], [on(':system:email', 'read')]),
  grants('an account stream that is held is given', [on(':system:email', 'read')], [on(':system:email', 'read')]),
  refuses('an account stream is never managed', [on(':system:email', 'contribute')], [on(':system:email', 'manage')], 'invalid-operation'),
  refuses('a share needs more than features', [on('*', 'manage')], [forbid('selfRevoke')]),
  refuses('a share needs permissions', [on('*', 'manage')], []),
  grants(
    'narrower entries below go with it',
    [on('heart', 'manage'), on('rate', 'read')],
    [on('heart', 'contribute')],
    [on('heart', 'contribute'), on('rate', 'read')],
  ),
  grants(
    'closed streams below * go with it',
    [on('*', 'manage'), on('rate', 'none'), on('diary', 'manage')],
    [on('*', 'read')],
    [on('*', 'read'), on('rate', 'none')],
  ),
  grants(
    'what may not be read below is closed to a reader',
    [on('heart', 'manage'), on('rate', 'create-only')],
    [on('heart', 'read')],
    [on('heart', 'read'), on('rate', 'none')],
  ),
  grants(
    'streams closed elsewhere stay closed, for events that are in both',
    [on('heart', 'read'), on('diary', 'none')],
    [on('heart', 'read')],
    [on('heart', 'read'), on('diary', 'none')],
  ),
  grants(
    'an entry that asks for less is kept',
    [on('heart', 'manage'), on('rate', 'contribute')],
    [on('heart', 'contribute'), on('rate', 'none')],
  ),
  grants('a setting of its own may be passed on', [on('heart', 'read')], [on('heart', 'read'), forbid('selfRevoke')]),
  grants(
    'forbidden features are forbidden to the share too',
    [on('heart', 'read'), forbid('secretSharing'), forbid('webhooks'), allow('selfAudit')],
    [on('heart', 'read')],
    [on('heart', 'read'), forbid('secretSharing'), forbid('webhooks')],
  ),
  refuses('a forbidden feature is not allowed to others', [on('heart', 'read'), forbid('secretSharing')], [
    on('heart', 'read'),
    allow('secretSharing'),
  ]),
  grants('an equal setting is passed on', [on('heart', 'read'), forbid('selfAudit')], [on('heart', 'read'), forbid('selfAudit')]),
  grants(
    'forced streams go with it',
    [on('heart', 'read'), { feature: 'forcedStreams', setting: 'allowed', streams: ['diary'] }],
    [on('heart', 'read')],
    [on('heart', 'read'), { feature: 'forcedStreams', setting: 'allowed', streams: ['diary'] }],
  ),
  grants('a tag that is held is given', [tag('work', 'contribute')], [tag('work', 'read')]),
  grants('a tag is given by the holder of all', [tag('*', 'read')], [tag('work', 'read')]),
  grants('all tags are given by the holder of all', [tag('*', 'manage')], [tag('*', 'contribute')]),
  refuses('a tag is not given beyond its level', [tag('work', 'read')], [tag('work', 'contribute')]),
  refuses('a tag that is not held is not given', [tag('work', 'manage')], [tag('home', 'read')]),
  refuses('all tags are not given by the holder of one', [tag('work', 'manage')], [tag('*', 'read')]),
  refuses('streams do not give tags', [on('*', 'manage')], [tag('work', 'read')]),
  {
    it: 'an app makes no app',
    as: [on('*', 'manage')],
    send: { name: 'x', type: 'app', permissions: [on('*', 'read')] },
    gives: [403, 'forbidden'],
  },
  {
    it: 'an app makes no personal access',
    as: [on('*', 'manage')],
    send: { name: 'x', type: 'personal', permissions: [] },
    gives: [403, 'forbidden'],
  },
  {
    it: 'bad data are refused as such',
    as: [on('*', 'manage')],
    send: { name: 'x', permissions: [{ streamId: 'a' }] },
    gives: [400, 'invalid-parameters-format'],
  },
  {
    it: 'names of streams make none',
    as: [on('*', 'manage')],
    send: { name: 'x', permissions: [{ streamId: 'new', level: 'read', defaultName: 'New' }] },
    gives: 201,
    then: async (_, s) => {
      const { streams: listed } = await s.arrange('streams.get', {})
      expect((listed as { id: string }[]).map(({ id }) => id)).toEqual([':_audit:', ':_system:account', ':_cmc:'])
    },
  },
  {
    it: 'who may only create gives nothing, not even when it may not give itself up',
    as: [on('heart', 'create-only'), forbid('selfRevoke')],
    given: asking([on('heart', 'create-only')]),
    gives: [403, 'forbidden'],
  },
  {
    it: 'the owner gives create-only, with features',
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

  it('cannot share themselves', async () => {
    const s = await newStage(node)
    const app = await share(s, { type: 'app', ...read })
    const { token } = await share(s, read, app.token)
    const answer = await ask(s, token, 'POST', '/accesses', { name: 'y', ...read })
    expect([answer.status, errorOf(answer).id]).toEqual([403, 'forbidden'])
  })

  it('end with the app at the latest', async () => {
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

  it('of an app without an end have none of their own accord', async () => {
    const s = await newStage(node)
    const app = await share(s, { type: 'app', ...read })
    expect(await share(s, read, app.token)).not.toHaveProperty('expires')
    expect((await share(s, { ...read, expireAfter: 9 }, app.token)).expires).toBe(clock.now() + 9)
  })

  it('tell who made them', async () => {
    const s = await newStage(node)
    const app = await share(s, { type: 'app', ...read })
    expect(await share(s, read, app.token)).toMatchObject({ createdBy: app.id, modifiedBy: app.id })
    await ask(s, s.owner, 'PUT', `/accesses/${app.id}`, { name: 'renamed' })
    const versioned = await share(s, read, `${app.token} phone`)
    expect(versioned).toMatchObject({ createdBy: `${app.id}:1 phone` })
    expect(versioned).not.toHaveProperty('manager')
  })
})
