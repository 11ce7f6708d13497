/** Counters of failed attempts in the store. */
import { describeRepository } from '../repository.js'
import { putFailureCounter, readFailureCounter } from '../../../src/store/accounts/credentials.js'

const once = { failures: 1, last: 10 }
const twice = { failures: 2, last: 20 }

describeRepository('counters of failed attempts', {
  read: ({ store, account }) => [readFailureCounter(store.db, account.prefix, 'password'), readFailureCounter(store.db, account.prefix, 'mfa')],
  absent: [undefined, undefined],
  steps: [
    { write: (t) => putFailureCounter(t, 'password', once), expected: [once, undefined] },
    { write: (t) => putFailureCounter(t, 'password', twice), expected: [twice, undefined] },
    { write: (t) => putFailureCounter(t, 'mfa', once), expected: [twice, once] },
  ],
  remove(t) {
    putFailureCounter(t, 'password', undefined)
    putFailureCounter(t, 'mfa', undefined)
  },
})
