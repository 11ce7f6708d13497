/** E-mail addresses of an account in the store. */
import { describe, expect, it } from 'vitest'
import { emailsOf, EMAIL_STREAM, withEmails } from '../../../src/store/accounts/emails.js'
import type { User } from '../../../src/store/accounts/users.js'
import { addEvent } from '../../../src/store/events/events.js'
import { initialEntry } from '../../../src/store/model/emails.js'
import { repositories } from '../repository.js'

const user: User = { id: 'u1', username: 'ana', passwordHash: 'hash', created: 1, passwordChanged: 1, hidden: {}, unique: {} }

describe('e-mail addresses', () => {
  const all = repositories()

  it('come from the list of the user, else from its unique value, its account stream or its hidden value', async () => {
    const { db, recorder } = all.store
    const [one, other] = [await all.account(), await all.account()]
    expect(emailsOf(db, one.prefix, user)).toEqual([])
    expect(emailsOf(db, one.prefix, { ...user, hidden: { email: 'h@x.org' } })).toEqual([initialEntry('h@x.org')])
    const event = { id: EMAIL_STREAM, streamIds: [EMAIL_STREAM], type: 'email/string', content: 'e@x.org', time: 1, tags: [] }
    await one.write((t) => addEvent(t, recorder, { ...event, created: 1, createdBy: 'x', modified: 1, modifiedBy: 'x' }))
    expect(emailsOf(db, one.prefix, { ...user, hidden: { email: 'h@x.org' } })).toEqual([initialEntry('e@x.org')])
    expect(emailsOf(db, other.prefix, user)).toEqual([])
    expect(emailsOf(db, one.prefix, { ...user, unique: { email: 'u@x.org' } })).toEqual([initialEntry('u@x.org')])
    const list = [{ ...initialEntry('l@x.org'), primary: false }]
    expect(emailsOf(db, one.prefix, { ...user, unique: { email: 'u@x.org' }, emails: list })).toBe(list)
  })

  it('take the unique value from the primary address', () => {
    const list = [initialEntry('p@x.org'), { ...initialEntry('s@x.org'), primary: false }]
    expect(withEmails({ ...user, unique: { email: 'old@x.org', phone: '1' } }, list)).toEqual({ ...user, emails: list, unique: { email: 'p@x.org', phone: '1' } })
    expect(withEmails(user, []).unique).toEqual({})
  })
})
