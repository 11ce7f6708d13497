/** Requests to reset a password in the store. */
import { describe, expect, it } from 'vitest'
import { describeRepository, repositories } from '../repository.js'
import { endResetToken, putPasswordReset, readPasswordReset, type PasswordReset } from '../../../src/store/accounts/credentials.js'

const first: PasswordReset = { token: { digest: 'aa', expires: 50 }, requests: [10] }
const second: PasswordReset = { token: { digest: 'bb', expires: 60 }, requests: [10, 20] }

describeRepository('password resets', {
  read: ({ store, account }) => readPasswordReset(store.db, account.prefix),
  absent: { requests: [] },
  steps: [
    { write: (t) => putPasswordReset(t, first), expected: first },
    { write: (t) => putPasswordReset(t, second), expected: second },
    { write: endResetToken, expected: { requests: [10, 20] } },
  ],
})

describe('the end of a reset token', () => {
  const all = repositories()

  it('writes nothing without a token', async () => {
    const account = await all.account()
    const { sequence } = account
    await account.write(endResetToken)
    expect(account.sequence).toBe(sequence)
    await account.write((t) => putPasswordReset(t, { requests: [1] }))
    await account.write(endResetToken)
    expect(account.sequence).toBe(sequence + 1)
  })
})
