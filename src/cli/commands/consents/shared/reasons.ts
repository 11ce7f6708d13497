/** Texts and exit codes for failures between accounts (docs/interface/consents.md#failures). */
import { CommandError } from '../../../framework/exit.js'
import type { ExitCode, Hint } from '../../../framework/exit.js'
import { recordOf, textOf } from '../../../client/answer.js'

interface ReasonText {
  message: string
  exit?: ExitCode
  hint?: Hint
}

const newLink = 'Ask for a new link.'
const later = 'Try again later.'
const noLink: ReasonText = { message: 'The link is unknown to the other node, or has expired', exit: 5, hint: newLink }
const notReached: ReasonText = { message: 'The other node is unreachable, or sent an invalid answer', exit: 75, hint: later }
const noRelation: ReasonText = { message: 'There is no consent for this between the two accounts', exit: 5 }
const unfinished: ReasonText = { message: 'The other account has not finished accepting; messages cannot be sent yet', exit: 75, hint: later }
const brokenOffer: ReasonText = { message: 'The offer is invalid and cannot be accepted', hint: newLink }
const isOff: ReasonText = { message: 'This feature is disabled between the two accounts', exit: 4 }

const reasons: Readonly<Record<string, ReasonText>> = {
  'cmc-capability-invalid': noLink,
  'cmc-capability-empty': noLink,
  'cmc-capability-timeout': notReached,
  'cmc-capability-multiple-offers': brokenOffer,
  'cmc-capability-offer-too-large': brokenOffer,
  'cmc-capability-consumed': { message: 'The single-use link has already been used', exit: 6, hint: newLink },
  'cmc-capability-invalidated': { message: 'The link was revoked', exit: 6, hint: newLink },
  'cmc-capability-already-accepted-by-you': { message: 'This account has already accepted this link', exit: 6 },
  'cmc-handler-offer-read-failed': notReached,
  'cmc-handler-offer-missing-capability-id': brokenOffer,
  'cmc-handler-counterparty-unknown': brokenOffer,
  'cmc-handler-delivery-failed': notReached,
  'cmc-handler-delivery-threw': notReached,
  'cmc-handler-delivery-rejected': { message: 'The other node rejected the answer' },
  'cmc-handler-data-grant-name-conflict': { message: 'An access with this name already exists', exit: 6, hint: 'Use another name: --name <text>' },
  'cmc-handler-delegation-ended': { message: 'The account that accepted on behalf of this one may no longer act for it', exit: 4 },
  'cmc-offer-empty-permissions': brokenOffer,
  'cmc-offer-invalid-permissions': brokenOffer,
  'cmc-offer-invalid-access-type': brokenOffer,
  'cmc-granted-permissions-not-subset': { message: 'The selection is not part of the request' },
  'cmc-consent-user-choice-not-allowed': { message: 'The offer is all or nothing' },
  'cmc-mandatory-permission-refused': { message: 'A required permission was deselected' },
  'cmc-insufficient-permissions': { message: 'An access cannot grant more permissions than it has', exit: 4 },
  'cmc-self-accept-forbidden': { message: 'An account cannot accept its own offer' },
  'cmc-chat-counterparty-access-not-found': noRelation,
  'cmc-chat-disabled': isOff,
  'cmc-chat-no-remote-apiendpoint': unfinished,
  'cmc-chat-no-remote-chat-stream': unfinished,
  'cmc-revoke-counterparty-access-not-found': noRelation,
  'cmc-revoke-forbidden': { message: 'This access may not revoke the other access', exit: 4 },
  'capability-access-not-found': { message: 'There is no such link', exit: 5, hint: ['List the links', 'consents', 'links', 'list'] },
}

/** Reasons of the other node for rejecting an answer. */
const rejections: Readonly<Record<string, ReasonText>> = {
  'cmc-handler-counterparty-unknown': {
    message: 'The other node did not find this account at its address',
    hint: 'Set dnsLess.publicUrl to an address that other nodes can reach',
  },
}

/** Returns the texts of a reason; for a rejection those of its own id, if there are any. */
function wordsOf(failure: unknown): ReasonText | undefined {
  const { reason, detail } = recordOf(failure)
  const { data } = recordOf(recordOf(recordOf(detail)['body'])['error'])
  const rejected = reason === 'cmc-handler-delivery-rejected' ? rejections[textOf(recordOf(data)['id'])] : undefined
  return rejected ?? reasons[textOf(reason)]
}

/** Describes a failure: `failure` is `{ reason, detail }` of an event or of a read. */
export function failureWords(failure: unknown): string {
  const { reason, detail } = recordOf(failure)
  const id = textOf(reason) || 'unknown'
  const { status, cause } = recordOf(detail)
  const more = [status === undefined ? '' : `HTTP ${textOf(status)}`, textOf(cause)].filter((each) => each !== '')
  return `${wordsOf(failure)?.message ?? 'The operation failed'} (${[id, ...more].join(', ')}).`
}

/** Converts a failure to a CommandError. */
export function failureError(failure: unknown): CommandError {
  const { exit, hint } = wordsOf(failure) ?? {}
  return new CommandError(failureWords(failure), {
    ...(exit === undefined ? {} : { exit }),
    ...(hint === undefined ? {} : { hint }),
  })
}
