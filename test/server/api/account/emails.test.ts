/** Several e-mail addresses of an account: docs/interface/account.md#e-mail-addresses. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { primaryEmail } from '../../../../src/server/api/account/emails.js'
import { expectSound } from '../../../support/store/check.js'
import { fakeClock } from '../../../support/nodes/clock.js'
import { homes } from '../../../support/nodes/home.js'
import { testMailer } from '../../../support/services/mail.js'
import { request, startTestNode, type Answer, type TestNode } from '../../../support/nodes/node.js'
import { newStage, type Stage } from '../../../support/http/methodTable.js'

interface Entry {
  value: string
  primary: boolean
  status: string
  verifiedAt: number | null
  verificationMethod: string | null
}

const clock = fakeClock()
const mail = testMailer()
let node: TestNode
let s: Stage
let own: string
beforeAll(async () => {
  const settings = { 'auth.emailVerificationPageURL': 'https://page.example/verify?lang=en' }
  node = await startTestNode(settings, { clock, mail })
})
afterAll(() => node.stop())

async function registerNext(): Promise<void> {
  s = await newStage(node)
  own = `${s.username}@example.org`
}

const mine = (name: string): string => `${name}-${s.username}@example.org`
const put = (update: unknown, by = s): Promise<Answer> =>
  request(`${node.url}${by.username}/account`, { method: 'PUT', token: by.owner, body: update })
const emails = (operations: unknown, by = s): Promise<Answer> => put({ emails: operations }, by)
const listOf = ({ body }: Answer): Entry[] => (body['account'] as { emails: Entry[] }).emails
const read = async (by = s): Promise<Entry[]> =>
  listOf(await request(`${node.url}${by.username}/account`, { token: by.owner }))
const holderOf = async (address: string): Promise<unknown> =>
  (await request(`${node.url}reg/${address}/username`)).body['username']
const verify = (address: string, by = s): Promise<Answer> =>
  request(`${node.url}${by.username}/account/verify-email`, { body: { token: mail.latest(address, 'VERIFY_TOKEN') } })
async function verified(...names: string[]): Promise<void> {
  expect((await emails({ add: names.map(mine) })).status).toBe(200)
  for (const name of names) expect((await verify(mine(name))).status).toBe(200)
}

const refusal = (data: unknown): object => ({ status: 400, body: { error: { id: 'invalid-operation', data } } })
const conflict = (email: string): object => ({ status: 409, body: { error: { id: 'item-already-exists', data: { email } } } })
const pending = (value: string): Entry => ({
  value,
  primary: false,
  status: 'pending',
  verifiedAt: null,
  verificationMethod: null,
})

describe('an address', () => {
  it('is pending and reserved after it was added, and receives a mail with a link', async () => {
    await registerNext()
    const list = listOf(await emails({ add: [mine('a')] }))
    expect(list).toEqual([expect.objectContaining({ value: own, primary: true }), pending(mine('a'))])
    expect(await read()).toEqual(list)
    expect(await holderOf(mine('a'))).toBe(s.username)
    expect(await emails({ add: [mine('a')] }, await newStage(node))).toMatchObject(conflict(mine('a')))
    const [sent, more] = mail.to(mine('a'))
    expect(more).toBeUndefined()
    const token = mail.latest(mine('a'), 'VERIFY_TOKEN')
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(sent).toEqual({
      kind: 'verifyEmail',
      to: mine('a'),
      language: 'en',
      substitutions: {
        VERIFY_TOKEN: token,
        VERIFY_URL: 'https://page.example/verify?lang=en',
        VERIFY_LINK: `https://page.example/verify?lang=en&verifyToken=${token}&username=${s.username}`,
        EMAIL: mine('a'),
        USERNAME: s.username,
      },
    })
  })

  it('is returned and logged without its token', async () => {
    await registerNext()
    const answer = await emails({ add: [mine('a')] })
    const token = mail.latest(mine('a'), 'VERIFY_TOKEN')
    const { body } = await request(`${node.url}${s.username}/account`, { token: s.owner })
    for (const text of [answer.body, body, node.logged]) {
      expect(JSON.stringify(text)).not.toContain(token)
      expect(JSON.stringify(text)).not.toContain('digest')
    }
  })

  it('is refused if the account has it already, regardless of letter case', async () => {
    await registerNext()
    await emails({ add: [mine('a')] })
    for (const address of [own, mine('a'), mine('a').toUpperCase()]) {
      expect(await emails({ add: [address] })).toMatchObject(refusal({ email: address }))
    }
    expect(await emails({ add: [mine('b'), mine('b')] })).toMatchObject(refusal({ email: mine('b') }))
    expect(await read()).toHaveLength(2)
    expect(await holderOf(mine('b'))).toBeUndefined()
  })

  it('is refused if another account has it, with all addresses of the same call', async () => {
    const other = await newStage(node)
    await registerNext()
    const theirs = `${other.username}@example.org`
    expect(await emails({ add: [mine('a'), theirs] })).toMatchObject(conflict(theirs))
    expect(await read()).toHaveLength(1)
    expect(await holderOf(mine('a'))).toBeUndefined()
    expect(mail.to(mine('a'))).toEqual([])
    expect(await request(`${node.url}users`, {
      body: { username: 'someone-new', password: 'secret1', email: theirs.toUpperCase(), appId: 'test-app' },
    })).toMatchObject({ status: 409 })
  })

  it('is refused over the maximum number', async () => {
    await registerNext()
    expect((await emails({ add: ['a', 'b', 'c', 'd'].map(mine) })).status).toBe(200)
    expect(await emails({ add: [mine('e')] })).toMatchObject(refusal({ maxEmails: 5 }))
    expect(await emails({ add: [mine('e')], remove: [mine('a')] })).toMatchObject(refusal({ maxEmails: 5 }))
  })

  it('is available to other accounts after it was removed', async () => {
    await registerNext()
    const former = s
    const address = mine('a')
    await emails({ add: [address] })
    expect(listOf(await emails({ remove: [address.toUpperCase()] }))).toHaveLength(1)
    expect(await holderOf(address)).toBeUndefined()
    await registerNext()
    expect((await emails({ add: [address] })).status).toBe(200)
    expect(await holderOf(address)).toBe(s.username)
    expect(await emails({ add: [address] }, former)).toMatchObject(conflict(address))
  })

  it('is not removed if it is primary or unknown', async () => {
    await registerNext()
    expect(await emails({ remove: [own] })).toMatchObject(refusal({ email: own }))
    expect(await emails({ remove: [mine('x')] })).toMatchObject(refusal({ email: mine('x') }))
    await emails({ add: [mine('a')] })
    expect(await emails({ remove: [mine('a'), mine('a')] })).toMatchObject(refusal({ email: mine('a') }))
    expect(await read()).toHaveLength(2)
  })

  it('can become primary only after verification, and the former primary remains', async () => {
    await registerNext()
    await emails({ add: [mine('a')] })
    expect(await emails({ setPrimary: mine('a') })).toMatchObject(refusal({ email: mine('a') }))
    expect(await emails({ setPrimary: mine('x') })).toMatchObject(refusal({ email: mine('x') }))
    await verify(mine('a'))
    const before = await read()
    const list = listOf(await emails({ setPrimary: mine('a') }))
    expect(list).toEqual([
      { ...before[1], primary: true },
      { ...before[0], primary: false },
    ])
    expect((await request(`${node.url}${s.username}/events/:system:email`, { token: s.owner })).body).toMatchObject({
      event: { content: mine('a') },
    })
    const loaded = await node.node.accounts.find(s.username)
    expect(loaded && primaryEmail(node.node, loaded.account, loaded.user)).toBe(mine('a'))
    expect(await holderOf(own)).toBe(s.username)
    expect(listOf(await emails({ setPrimary: mine('a') }))).toEqual(list)
    expect(listOf(await emails({ setPrimary: own, remove: [mine('a')] }))).toEqual([before[0]])
  })

  it('is subject to add, setPrimary, remove and resend in this order, after the field email', async () => {
    await registerNext()
    await verified('a')
    const { body } = await put({
      email: mine('new'),
      emails: { add: [mine('b')], setPrimary: mine('a'), remove: [own] },
    })
    const list = (body['account'] as { emails: Entry[] }).emails
    expect(list.map(({ value, primary }) => [value, primary])).toEqual([
      [mine('a'), true],
      [mine('b'), false],
      [mine('new'), false],
    ])
    expect(await emails({ add: [mine('c')], resend: [mine('c')] })).toMatchObject({ status: 400 })
    expect(await read()).toEqual(list)
  })
})

describe('setting the field email', () => {
  const change = {
    'by account.update': (email: string): Promise<Answer> => put({ email }),
    'by events.create': (content: string): Promise<Answer> =>
      request(`${node.url}${s.username}/events`, {
        token: s.owner,
        body: { streamIds: [':system:email'], type: 'email/string', content },
      }),
    'by events.update': (content: string): Promise<Answer> =>
      request(`${node.url}${s.username}/events/:system:email`, { method: 'PUT', token: s.owner, body: { content } }),
  }

  describe.each(Object.entries(change))('%s', (_, set) => {
    it('makes the address primary without verification, and the former one secondary', async () => {
      await registerNext()
      expect((await set(mine('new'))).status).toBeLessThan(300)
      const [primary, old] = await read()
      expect(primary).toEqual({ ...pending(mine('new')), primary: true, status: 'verified', verificationMethod: 'legacy' })
      expect(old).toMatchObject({ value: own, primary: false, status: 'verified', verificationMethod: 'registration' })
      expect(await holderOf(own)).toBe(s.username)
      expect(await holderOf(mine('new'))).toBe(s.username)
    })

    it('preserves the verification method of the address', async () => {
      await registerNext()
      await verified('a')
      const entry = (await read())[1]
      expect(entry?.verificationMethod).toBe('email-link')
      expect((await set(mine('a'))).status).toBeLessThan(300)
      expect((await read())[0]).toEqual({ ...entry, primary: true })
    })

    it('verifies a pending address, and invalidates its token', async () => {
      await registerNext()
      await emails({ add: [mine('a')] })
      await set(mine('a'))
      expect((await read())[0]).toMatchObject({ value: mine('a'), status: 'verified', verificationMethod: 'legacy' })
      expect(await verify(mine('a'))).toMatchObject({ status: 401 })
    })

    it('replaces the oldest secondary address over the maximum number', async () => {
      await registerNext()
      await verified('a', 'b', 'c', 'd')
      await set(mine('new'))
      const values = (await read()).map(({ value }) => value)
      expect(values).toEqual([mine('new'), mine('b'), mine('c'), mine('d'), own])
      expect(await holderOf(mine('a'))).toBeUndefined()
    })

    it('refuses an address that another account has, even if it is pending there', async () => {
      const other = await newStage(node)
      await emails({ add: [`pending-${other.username}@example.org`] }, other)
      await registerNext()
      for (const address of [`${other.username}@example.org`, `pending-${other.username}@example.org`]) {
        expect(await set(address)).toMatchObject(conflict(address))
      }
      expect(await read()).toHaveLength(1)
    })
  })
})

describe('concurrent changes of addresses', () => {
  it('add the same address to exactly one account', async () => {
    const stages = await Promise.all(Array.from({ length: 50 }, () => newStage(node)))
    const answers = await Promise.all(stages.map((stage) => emails({ add: ['wanted@example.org'] }, stage)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(49)
    expect(mail.to('wanted@example.org')).toHaveLength(1)
  })

  it('of one account are all applied, and reserve only the addresses that it has', async () => {
    await registerNext()
    const before = s
    const names = Array.from({ length: 20 }, (_, i) => `p${i}`)
    const answers = await Promise.all(
      names.map((name, i) => (i % 2 === 0 ? put({ email: mine(name) }) : emails({ add: [mine(name)] }))),
    )
    expect(answers.every(({ status }) => status === 200 || status === 400)).toBe(true)
    const listed = new Set((await read()).map(({ value }) => value))
    expect(listed.size).toBe(5)
    for (const name of names) {
      const address = mine(name)
      expect([address, await holderOf(address)]).toEqual([address, listed.has(address) ? before.username : undefined])
    }
  })
})

describe('the deletion of an account', () => {
  it('releases its addresses', async () => {
    await registerNext()
    await verified('a', 'b')
    await emails({ setPrimary: mine('b'), remove: [own] })
    const { username } = s
    const key = node.node.config.get('auth.adminAccessKey') ?? ''
    await registerNext()
    await verified('c')
    expect((await request(`${node.url}users/${s.username}`, { method: 'DELETE', token: key })).status).toBe(200)
    expect(await holderOf(mine('c'))).toBeUndefined()
    expect((await request(`${node.url}reg/${username}/check_username`)).body['reserved']).toBe(true)
  })
})

describe('an account stream that groups fields', () => {
  it.each([':_system:emails', ':system:emails', ':_system:account'])('%s cannot be written to', async (streamId) => {
    await registerNext()
    const event = { streamIds: [streamId], type: 'email/string', content: 'x@example.org' }
    const answers = [
      await request(`${node.url}${s.username}/events`, { token: s.owner, body: event }),
      await request(`${node.url}${s.username}/streams`, { token: s.owner, body: { id: 'x', name: 'x', parentId: streamId } }),
      await request(`${node.url}${s.username}/streams`, { token: s.owner, body: { id: streamId, name: 'x' } }),
    ]
    for (const { status } of answers) expect(status).toBe(400)
  })

  it('reveals no secondary address in events.get', async () => {
    await registerNext()
    await emails({ add: [mine('hidden')] })
    const { body } = await request(`${node.url}${s.username}/events?limit=1000`, { token: s.owner })
    expect(JSON.stringify(body)).not.toContain(mine('hidden'))
  })
})

describe('the store', () => {
  const { home: newHome } = homes()
  it('is consistent after all kinds of changes of addresses', async () => {
    const places = await newHome()
    const home = await startTestNode({}, { clock, mail: testMailer(), home: places.home })
    const one = await newStage(home)
    const change = (update: unknown): Promise<Answer> =>
      request(`${home.url}${one.username}/account`, { method: 'PUT', token: one.owner, body: update })
    await change({ emails: { add: ['a@example.org', 'b@example.org'] } })
    await change({ email: 'c@example.org' })
    await change({ email: 'A@example.org', emails: { remove: ['b@example.org'] } })
    const deleted = await newStage(home)
    await request(`${home.url}${deleted.username}/account`, {
      method: 'PUT',
      token: deleted.owner,
      body: { email: 'gone@example.org', emails: { add: ['d@example.org'] } },
    })
    const key = home.node.config.get('auth.adminAccessKey') ?? ''
    await request(`${home.url}users/${deleted.username}`, { method: 'DELETE', token: key })
    await home.stop()
    const { checked } = await expectSound(places)
    expect(checked['unique values']).toBe(3)
  })
})
