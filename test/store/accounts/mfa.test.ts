/** The second factor of an account in the store. */
import { describe, expect, it } from 'vitest'
import type { Enrolment } from '../../../src/store/model/mfa.js'
import { describeRepository, repositories } from '../repository.js'
import { isEnrolmentName, openTotpSecret, putEnrolment, readEnrolment, sealTotpSecret } from '../../../src/store/accounts/credentials.js'

const sms: Enrolment = { id: 'm1', method: 'sms', content: { phone: '+41 79 000 00 00' }, recoveryCodes: ['aa', 'bb'] }
const app: Enrolment = {
  id: 'm2',
  method: 'totp',
  content: {},
  recoveryCodes: [],
  totp: { secret: 'sealed', algorithm: 'sha1', digits: 6, periodSeconds: 30, confirmedAt: 1, lastUsedStep: 2 },
}

describeRepository('second factors', {
  read: ({ store, account }) => readEnrolment(store.db, account.prefix),
  absent: undefined,
  steps: [
    { write: (t) => putEnrolment(t, sms), expected: sms },
    { write: (t) => putEnrolment(t, app), expected: app },
  ],
  remove: (t) => putEnrolment(t, undefined),
})

describe('changes of second factors', () => {
  const all = repositories()

  it('are journaled as create, update and delete; removing a missing one is not journaled', async () => {
    const account = await all.account()
    const actions: string[] = []
    const end = all.store.follow((entries) => actions.push(...entries.map(({ kind, action, id }) => `${kind} ${action} ${id}`)))
    for (const enrolment of [undefined, sms, app, undefined, undefined]) await account.write((t) => putEnrolment(t, enrolment))
    end()
    expect(actions).toEqual(['credential create mfa', 'credential update mfa', 'credential delete mfa'])
    expect(['mfa', 'reset'].map(isEnrolmentName)).toEqual([true, false])
  })

  it('seal secrets for one account', () => {
    const { seal } = all.store
    const sealed = sealTotpSecret(seal, '1', 'JBSWY3DP')
    expect(sealed).not.toContain('JBSWY3DP')
    expect(openTotpSecret(seal, '1', sealed)).toBe('JBSWY3DP')
    expect(() => openTotpSecret(seal, '2', sealed)).toThrow()
  })
})
