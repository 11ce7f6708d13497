import { command } from '../../command.js'
import { CONSENT_ID, loadConsent } from '../../consents/load.js'
import { accountText, contentOf } from '../../consents/relations.js'
import type { Consent, Found } from '../../consents/relations.js'
import { carryOut, provideScope } from '../../consents/trigger.js'
import { wordsByLanguage, wordsOption } from '../../consents/words.js'
import { CommandError, usageError } from '../../framework/exit.js'
import { confirm } from '../../terminal/input/confirm.js'
import { listOf, recordOf, textOf } from '../../client/answer.js'
import type { Record_ } from '../../client/answer.js'
import { accountOf, userOption } from '../../client/user.js'
import { flag, text } from '../../framework/option.js'
import { counted } from '../../terminal/output/format.js'

/** Where it is written that a consent ends which belongs to no app. */
const OWN_SCOPE = ':_cmc:apps:coffer'

/** `coffer consents revoke`. */
export const revoke = command({
  path: ['consents', 'revoke'],
  summary: 'End a consent, given or received, and tell the other account',
  description:
    'At once in this account, whether or not the other is reached: what they had been given is closed. Messages stay on both sides, and so does what they have read before. Access tokens that an OAuth client has by the consent end with it. A link that nobody has agreed by is withdrawn.',
  arguments: { id: text(CONSENT_ID, { required: true }) },
  options: { reason: wordsOption('What they are told'), yes: flag('Do not ask'), user: userOption },
  examples: [
    { type: 'coffer consents revoke ckq2v8x0a0000abcd1234efgh --user ben-hopper', says: 'asks before it ends it' },
    { type: `coffer consents revoke ckq2v8x0a0000abcd1234efgh --reason 'study is over' --yes`, says: 'for scripts' },
  ],
  json: '{"event":{…}}, the event of type consent/revoke-cmc once it is completed',
  offline: false,
  async run(context, { id, reason, yes, user }) {
    const { out, connect, terminal, commandFor } = context
    const words = wordsByLanguage(reason, '--reason')
    const client = await connect()
    const as = await accountOf(client, user)
    const found = await loadConsent(context, client, as, id)
    const { consent, event: source } = found
    const accessId = endingAccess(found, commandFor('consents', 'list', '--user', as.user))
    const other = accountText(consent.counterparty) || 'the other account'
    const isLink = accessId === contentOf(source)['capabilityAccessId']
    await confirm(terminal, isLink ? LINK_QUESTION : questionOf(consent, other), yes)
    const event = await carryOut(context, client, as, {
      streamId: consent.scopeStreamId ?? (await provideScope(client, as, OWN_SCOPE)),
      type: 'consent/revoke-cmc',
      content: { accessId, ...(words === undefined ? {} : { reason: words }) },
    })
    const isNotified = contentOf(event)['peerNotified'] !== false
    await out.result({ event }, {
      id: textOf(event['id']),
      print: () => {
        out.done(isLink ? 'The link is withdrawn: nobody can agree by it any more.' : `The consent has ended${withRelated(contentOf(event))}.`)
        if (isNotified) return
        const { reason: why } = recordOf(contentOf(event)['deliveryFailure'])
        out.warn(`${other} was not reached and does not know (${textOf(why)}). What they had is closed all the same.`)
      },
    })
    return isNotified ? undefined : 3
  },
})

/** Names what ended with a consent: the access tokens that an OAuth client had by it, and what was shared by them. */
function withRelated({ relatedDeletions }: Record_): string {
  const related = listOf(relatedDeletions).length
  return related === 0 ? '' : `, and ${counted(related, 'access', 'accesses')} that were given with it`
}

const LINK_QUESTION = 'Withdraw the link? Nobody can agree by it afterwards.'

const questionOf = ({ kind, title }: Consent, other: string): string =>
  kind === 'given' ? `Take back what ${other} was given${title === '' ? '' : ` (${title})`}?` : `Give up what ${other} agreed to?`

/** Statuses of an invite that nobody has accepted; an expired link is withdrawn for good. */
const WITHDRAWABLE = ['pending', 'delivered', 'refused', 'expired']

/**
 * The access by which a consent stands, or the link that nobody has accepted by.
 * @throws CommandError 6 when it has ended, or 2 for a link that several joined by.
 */
function endingAccess({ consent, event, all }: Found & { all: readonly Found[] }, listing: string): string {
  if (consent.kind !== 'invite') {
    if (consent.accessId !== undefined && consent.status !== 'ended') return consent.accessId
    throw new CommandError('This consent has ended, or never came about.', { exit: 6, hint: `See what there is: ${listing}` })
  }
  const joined = all.filter(
    (each) => each.consent.kind === 'received' && each.access !== undefined && contentOf(each.event)['inviteEventId'] === event['id'],
  )
  const [only] = joined
  const { capabilityAccessId } = contentOf(event)
  const { mode, status } = consent
  if (only === undefined && mode === 'single-use' && WITHDRAWABLE.includes(status) && typeof capabilityAccessId === 'string') return capabilityAccessId
  const accessId = only?.consent.accessId
  if (only === undefined || accessId === undefined) {
    throw new CommandError('Nobody agreed by this link, or has ended it again.', { exit: 6, hint: `See what there is: ${listing}` })
  }
  if (joined.length === 1) return accessId
  throw usageError('Several have agreed by this link', `Say whose ends: ${joined.map((each) => each.consent.id).join(', ')}`)
}
