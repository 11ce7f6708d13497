/** Concurrent registrations: docs/interface/registration.md#order-of-checks. */
import { describe, expect, it } from 'vitest'
import type { Mail, Mailer } from '../../../../src/server/mail/mailer.js'
import { register as createAccount } from '../../../../src/server/api/register/createUser.js'
import { readRegistration } from '../../../../src/server/api/register/input.js'
import { limitConcurrency } from '../../../../src/server/base/concurrency.js'
import { request, type Answer } from '../../../support/nodes/node.js'
import { register, registration } from '../../../support/people/registration.js'
import { withNode } from '../../../support/nodes/started.js'

const concurrently = <T>(count: number, make: (at: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, at) => make(at)))

const statuses = (answers: readonly Answer[]): Record<number, number> => {
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

describe('concurrent registrations', () => {
  const at = withNode()

  it('of one username create one account for 100 HTTP requests', async () => {
    const answers = await concurrently(100, (i) => register(at(), registration({ username: 'contested', email: `rival-${i}@example.org` })))
    expect(statuses(answers)).toEqual({ 200: 1, 409: 99 })
    for (const answer of answers) {
      if (answer.status === 409) expect(answer.body).toMatchObject({ error: { id: 'item-already-exists', data: { username: 'contested' } } })
    }
    const token = String(answers.find(({ status }) => status === 200)?.body['token'])
    expect((await request(`${at().url}contested/events`, { token })).status).toBe(200)
  })

  it('of one username create one account for 1,000 direct calls', async () => {
    const { node } = at()
    const input = (i: number): unknown => registration({ username: 'wanted-by-all', email: `other-${i}@example.org` })
    const outcomes = await Promise.allSettled(
      Array.from({ length: 1000 }, (_, i) => createAccount(node, readRegistration(input(i), node.systemStreams))),
    )
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ id: 'item-already-exists', data: { username: 'wanted-by-all' } })
    }
  })

  it('of one e-mail address create one account', async () => {
    const spellings = ['one@example.org', 'ONE@example.org', ' one@Example.org ']
    const answers = await concurrently(50, (i) => register(at(), registration({ email: spellings[i % 3] })))
    expect(statuses(answers)).toEqual({ 200: 1, 409: 49 })
  })

  it('of different accounts all succeed', async () => {
    const answers = await concurrently(12, () => register(at(), registration()))
    expect(statuses(answers)).toEqual({ 200: 12 })
  })
})

describe('limited concurrency', () => {
  it('runs at most the given number of tasks, in order, also after failures', async () => {
    const limited = limitConcurrency(2)
    let busy = 0
    let maxBusy = 0
    const order: number[] = []
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, i) =>
        limited(async () => {
          busy += 1
          maxBusy = Math.max(maxBusy, busy)
          order.push(i)
          await new Promise((resolve) => setImmediate(resolve))
          busy -= 1
          if (i % 3 === 0) throw new Error('no')
          return i
        }),
      ),
    )
    expect(maxBusy).toBe(2)
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

  it('is sent to the new account in its language', async () => {
    const input = registration({ language: 'fr' })
    expect((await register(at(), input)).status).toBe(200)
    const { username, email } = input
    expect(sent.at(-1)).toEqual({ kind: 'welcome', to: email, language: 'fr', substitutions: { USERNAME: username, EMAIL: email } })
  })

  it('is not sent for a refused registration', async () => {
    const input = registration()
    await register(at(), input)
    const count = sent.length
    expect((await register(at(), input)).status).toBe(409)
    expect(sent).toHaveLength(count)
  })

  it('can fail without affecting the account, and is logged without the address', async () => {
    const { status, body } = await register(at(), registration({ email: 'broken@example.org' }))
    expect(status).toBe(200)
    expect((await request(`${at().url}${String(body['username'])}/events`, { token: String(body['token']) })).status).toBe(200)
    const log = at().logged.join('\n')
    expect(log).toContain('failed to send a welcome mail')
    expect(log).not.toContain('broken@example.org')
  })

  it('does not delay the registration', async () => {
    expect((await register(at(), registration({ email: 'slow@example.org' }))).status).toBe(200)
    release()
  })
})
