import { STDIN } from '../../terminal/input/text.js'
import { command } from '../../command.js'
import { CONSENT_ID, loadConsent } from './shared/load.js'
import { chatStreamOf, chatText, messagesOf } from './shared/messages.js'
import { accountOfIdentity, accountText, contentOf } from '../../../server/api/consents/relations.js'
import { failureWords } from './shared/reasons.js'
import { runTrigger } from './shared/trigger.js'
import { CommandError } from '../../framework/exit.js'
import { textOf } from '../../client/answer.js'
import type { Record_ } from '../../client/answer.js'
import { accountHolding } from '../../client/holder.js'
import { userOption } from '../../client/user.js'
import { text, whole } from '../../framework/option.js'
import { counted } from '../../terminal/output/format.js'

const LAST = 20

/** `coffer consents chat`. */
export const chat = command({
  path: ['consents', 'chat'],
  summary: 'Read or send messages of a consent',
  arguments: { id: text(CONSENT_ID, { required: true, names: 'consent' }), text: text('Message to send, or - for stdin; omit to read messages', { stdin: 'dash' }) },
  options: { last: whole(`Show this many of the last messages; defaults to ${LAST}`, { from: 1, to: 100_000 }), user: userOption },
  examples: [
    { type: 'coffer consents chat ckq2v8x0a0000abcd1234efgh', description: 'read the messages' },
    { type: `coffer consents chat ckq2v8x0a0000abcd1234efgh 'How do you feel today?'`, description: 'send a message' },
    { type: 'coffer consents chat ckq2v8x0a0000abcd1234efgh - < report.txt', description: 'send a message from a file' },
  ],
  json: '{"events":[…]}, of type message/chat-cmc, oldest first; when sending, {"event":{…}} after delivery',
  offline: false,
  async run(context, { id, text: given, last, user }) {
    const { out, connect, terminal, commandFor } = context
    const message = given === STDIN ? (await terminal.readAll('the message')).replace(/\r?\n$/, '') : given
    const client = await connect()
    const as = await accountHolding(client, user, { kind: 'consent', id })
    const { consent } = await loadConsent(context, client, as, id)
    const streamId = chatStreamOf(consent)
    if (streamId === undefined) {
      throw new CommandError('No account has accepted yet: there is no recipient for messages.', {
        exit: 6,
        hint: `See: ${commandFor('consents', 'show', consent.id, '--user', as.user)}`,
      })
    }
    if (message !== undefined) {
      const event = await runTrigger(context, client, as, { streamId, type: 'message/chat-cmc', content: { content: message } })
      await out.result({ event }, { id: textOf(event['id']), print: () => out.done(`Sent to ${accountText(consent.counterparty)}`) })
      return
    }
    const events = await messagesOf(client, as, consent, last ?? LAST)
    await out.list(
      { events },
      {
        columns: [
          { title: 'TIME', time: ({ time }) => time },
          { title: 'FROM', cell: (event) => accountText(accountOfIdentity(contentOf(event)['from'])) || as.user, shrinks: true },
          { title: 'MESSAGE', cell: messageText, wraps: true },
        ],
        rows: events,
        id: (event) => textOf(event['id']),
        count: counted(events.length, 'message'),
      },
    )
  },
})

function messageText(event: Record_): string {
  const { status, failure } = contentOf(event)
  return `${chatText(event['content'])}${status === 'failed' ? ` (not delivered: ${failureWords(failure)})` : ''}`
}
