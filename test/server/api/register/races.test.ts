/** Registrations that meet: docs/interface/registration.md#order-of-checks. */
import { describe, expect, it } from 'vitest'
import type { Mail, Mailer } from '../../../../src/server/mail/mailer.js'
import { register as makeAccount } from '../../../../src/server/api/register/createUser.js'
import { readRegistration } from '../../../../src/server/api/register/input.js'
import { limitConcurrency } from '../../../../src/server/base/concurrency.js'
import { request, type Answer } from '../../../support/nodes/node.js'
import { register, registration } from '../../../support/people/registration.js'
import { withNode } from '../../../support/nodes/started.js'

const many = <T>(count: number, make: (at: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, at) => make(at)))

const statuses = (answers: readonly Answer[]): Record<number, number> => {
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

describe('simultaneous registrations', () => {
  const at = withNode()

  it('of one name make one account, of 100 over HTTP', async () => {
    const answers = await many(100, (i) => register(at(), registration({ username: 'contested', email: `rival-${i}@example.org` })))
    expect(statuses(answers)).toEqual({ 200: 1, 409: 99 })
    for (const answer of answers) {
      if (answer.status === 409) expect(answer.body).toMatchObject({ error: { id: 'item-already-exists', data: { username: 'contested' } } })
    }
    const token = String(answers.find(({ status }) => status === 200)?.body['token'])
    expect((await request(`${at().url}contested/events`, { token })).status).toBe(200)
  })

  it('of one name make one account, of 1,000 that are in the node at once', async () => {
    const { node } = at()
    const asked = (i: number): unknown => registration({ username: 'wanted-by-all', email: `other-${i}@example.org` })
    const outcomes = await Promise.allSettled(
      Array.from({ length: 1000 }, (_, i) => makeAccount(node, readRegistration(asked(i), node.systemStreams))),
    )
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ id: 'item-already-exists', data: { username: 'wanted-by-all' } })
    }
  })

  it('of one address make one account', async () => {
    const spellings = ['one@example.org', 'ONE@example.org', ' one@Example.org ']
    const answers = await many(50, (i) => register(at(), registration({ email: spellings[i % 3] })))
    expect(statuses(answers)).toEqual({ 200: 1, 409: 49 })
  })

  it('of different people all succeed', async () => {
    const answers = await many(12, () => register(at(), registration()))
    expect(statuses(answers)).toEqual({ 200: 12 })
  })
})

describe('turns', () => {
  it('let so many work at once and no more, in order, also past failures', async () => {
    const inTurn = limitConcurrency(2)
    let busy = 0
    let most = 0
    const order: number[] = []
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, i) =>
        inTurn(async () => {
          busy += 1
          most = Math.max(most, busy)
          order.push(i)
          await new Promise((resolve) => setImmediate(resolve))
          busy -= 1
          if (i % 3 === 0) throw new Error('no')
          return i
        }),
      ),
    )
    expect(most).toBe(2)
    expect(order).toEqual(Array.from({ length: 20 }, (_, i) => i))
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(7)
  })
})

describe('the welcome mail', () => {
  const sent: Mail[] = []
  let release = (): void => {}
  const mail: Mailer = {
    isOn: () => true,
    async send(one) {
      sent.push(one)
      if (one.to.startsWith('broken')) throw new Error('the mail server said no')
      if (one.to.startsWith('slow')) await new Promise<void>((resolve) => (release = resolve))
    },
  }
  const at = withNode({}, { mail })

  it('is sent to whoever has registered, in their language', async () => {
    const asked = registration({ language: 'fr' })
    expect((await register(at(), asked)).status).toBe(200)
    const { username, email } = asked
    expect(sent.at(-1)).toEqual({ kind: 'welcome', to: email, language: 'fr', substitutions: { USERNAME: username, EMAIL: email } })
  })

  it('is not sent for a registration that is refused', async () => {
    const asked = registration()
    await register(at(), asked)
    const count = sent.length
    expect((await register(at(), asked)).status).toBe(409)
    expect(sent).toHaveLength(count)
  })

  it('fails for itself: the account is there, the log says so without the address', async () => {
    const { status, body } = await register(at(), registration({ email: 'broken@example.org' }))
    expect(status).toBe(200)
    expect((await request(`${at().url}${String(body['username'])}/events`, { token: String(body['token']) })).status).toBe(200)
    const log = at().logged.join('\n')
    expect(log).toContain('failed to send a welcome mail')
    expect(log).not.toContain('broken@example.org')
  })

  it('is waited for by nobody', async () => {
    expect((await register(at(), registration({ email: 'slow@example.org' }))).status).toBe(200)
    release()
  })
})
