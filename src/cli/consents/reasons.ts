/** Why something between accounts failed, in words (consent supplement 1.7 to 1.20), with the exit code for scripts. */
import { CommandError } from '../framework/exit.js'
import type { ExitCode } from '../framework/exit.js'
import { recordOf, textOf } from '../client/answer.js'

interface Words {
  says: string
  exit?: ExitCode
  hint?: string
}

const askAgain = 'Ask for a new link.'
const later = 'Try again later.'
const noLink: Words = { says: 'The link is unknown over there, or its time is over', exit: 5, hint: askAgain }
const notReached: Words = { says: 'The other node was not reached, or did not answer well', exit: 75, hint: later }
const noRelation: Words = { says: 'There is no consent between the two accounts for this', exit: 5 }
const unfinished: Words = { says: 'The other account has not finished to agree; it cannot be written to yet', exit: 75, hint: later }
const brokenOffer: Words = { says: 'The offer is not one that can be agreed to', hint: askAgain }
const isOff: Words = { says: 'The two accounts agreed to do without this', exit: 4 }

const reasons: Readonly<Record<string, Words>> = {
  'cmc-capability-invalid': noLink,
  'cmc-capability-empty': noLink,
  'cmc-capability-timeout': notReached,
  'cmc-capability-multiple-offers': brokenOffer,
  'cmc-capability-offer-too-large': brokenOffer,
  'cmc-capability-consumed': { says: 'The link was good for one, and has been used', exit: 6, hint: askAgain },
  'cmc-capability-invalidated': { says: 'The link was withdrawn', exit: 6, hint: askAgain },
  'cmc-capability-already-accepted-by-you': { says: 'This account has agreed by this link already', exit: 6 },
  'cmc-handler-offer-read-failed': notReached,
  'cmc-handler-offer-missing-capability-id': brokenOffer,
  'cmc-handler-counterparty-unknown': brokenOffer,
  'cmc-handler-delivery-failed': notReached,
  'cmc-handler-delivery-threw': notReached,
  'cmc-handler-delivery-rejected': { says: 'The other node refused it' },
  'cmc-handler-data-grant-name-conflict': { says: 'An access of that name is there already', exit: 6, hint: 'Name it otherwise: --name <text>' },
  'cmc-handler-delegation-ended': { says: 'The account that agreed for this one may act for it no more', exit: 4 },
  'cmc-offer-empty-permissions': brokenOffer,
  'cmc-offer-invalid-permissions': brokenOffer,
  'cmc-offer-invalid-access-type': brokenOffer,
  'cmc-granted-permissions-not-subset': { says: 'What was chosen is not a part of what is asked for' },
  'cmc-consent-user-choice-not-allowed': { says: 'It is asked for all or nothing' },
  'cmc-mandatory-permission-refused': { says: 'Something was left out that is required' },
  'cmc-insufficient-permissions': { says: 'Nobody may hand on more than they may do themselves', exit: 4 },
  'cmc-self-accept-forbidden': { says: 'An account cannot agree to what it asks for itself' },
  'cmc-chat-counterparty-access-not-found': noRelation,
  'cmc-chat-disabled': isOff,
  'cmc-chat-no-remote-apiendpoint': unfinished,
  'cmc-chat-no-remote-chat-stream': unfinished,
  'cmc-revoke-counterparty-access-not-found': noRelation,
  'cmc-revoke-forbidden': { says: 'The access may not be ended by this one', exit: 4 },
  'capability-access-not-found': { says: 'There is no such link', exit: 5 },
}

/** Reasons of the other node for rejecting an answer. */
const rejections: Readonly<Record<string, Words>> = {
  'cmc-handler-counterparty-unknown': {
    says: 'The other node did not find this account at its address',
    hint: 'Set dnsLess.publicUrl to the address at which other nodes reach this one',
  },
}

/** The words of a reason; of a rejection those of its own id, as far as there are any. */
function wordsOf(failure: unknown): Words | undefined {
  const { reason, detail } = recordOf(failure)
  const { data } = recordOf(recordOf(recordOf(detail)['body'])['error'])
  const rejected = reason === 'cmc-handler-delivery-rejected' ? rejections[textOf(recordOf(data)['id'])] : undefined
  return rejected ?? reasons[textOf(reason)]
}

/** What failed, in words: `failure` is `{ reason, detail }` of an event, or of a reading. */
export function failureWords(failure: unknown): string {
  const { reason, detail } = recordOf(failure)
  const id = textOf(reason) || 'unknown'
  const { status, cause } = recordOf(detail)
  const more = [status === undefined ? '' : `HTTP ${textOf(status)}`, textOf(cause)].filter((each) => each !== '')
  return `${wordsOf(failure)?.says ?? 'It failed'} (${[id, ...more].join(', ')}).`
}

/** The failure as a command tells it. */
export function failureError(failure: unknown): CommandError {
  const { exit, hint } = wordsOf(failure) ?? {}
  return new CommandError(failureWords(failure), {
    ...(exit === undefined ? {} : { exit }),
    ...(hint === undefined ? {} : { hint }),
  })
}
