import { randomBytes } from 'node:crypto'
import { appCodeOf, appStreamOf } from '../../../store/model/cmc.js'
import { command } from '../../command.js'
import { createRequest, requestOptions, requestOf } from './shared/request.js'
import { offerLines, offerOf } from './shared/offer.js'
import { contentOf } from '../../../server/api/consents/relations.js'
import { wordsByLanguage, wordsOption } from './shared/words.js'
import { usageError } from '../../framework/exit.js'
import { recordOf, textOf } from '../../client/answer.js'
import { accountOf, userOption } from '../../client/user.js'
import { flag, text } from '../../framework/option.js'
import { when } from '../../terminal/output/format.js'
import { expires } from '../accesses/lifetime.js'

/** `coffer consents links create`. */
export const create = command({
  path: ['consents', 'links', 'create'],
  summary: 'Create a link that requests access to data of other accounts',
  description:
    'Anyone with the link can read the request and accept it, with an account here or on another node. Accepting grants an access to some of their streams, and both accounts can exchange messages. The link is valid for one account and 7 days; with --open, for any number of accounts.\n\nstdout carries only the link.',
  options: {
    title: wordsOption('Title', { required: true }),
    description: wordsOption('Description of the purpose', { required: true }),
    consent: wordsOption('Text that people agree to', { required: true }),
    ...requestOptions,
    open: flag('Allow any number of accounts, until the link expires or is invalidated'),
    expires: expires('Expiry of the link, such as 30d or 2027-01-31; never only with --open', { never: true }),
    scope: text('App and part of it that the link belongs to; defaults to a scope of its own', { placeholder: 'app:part' }),
    user: userOption,
  },
  examples: [
    {
      type: `coffer consents links create --title 'Sleep study' --description 'How people sleep' --consent 'I take part' --permission sleep:read`,
      description: 'a link for one account',
    },
    {
      type: `coffer consents links create --open --expires never --title Study --title fr=Étude --description … --consent … --permission diary:read --permission steps:read --allow-user-choice --mandatory steps`,
      description: 'a link for anyone, in two languages, with an optional stream',
    },
  ],
  json: '{"event":{…}}, the event of type consent/request-cmc with its "capabilityUrl"',
  offline: true,
  async run(context, options) {
    const { out, connect, commandFor, now } = context
    const { title, description, consent } = options
    const texts = {
      title: wordsByLanguage(title, '--title'),
      description: wordsByLanguage(description, '--description'),
      consent: wordsByLanguage(consent, '--consent'),
    }
    const expiresAt = typeof options.expires === 'number' ? now() + options.expires : options.expires
    const request = requestOf(options, texts, expiresAt)
    const scope = scopeFrom(options.scope)
    const client = await connect()
    const as = await accountOf(client, options.user)
    const mode = options.open ? 'open-link' : 'single-use'
    const answer = await createRequest(client, as, { scope, mode, request, from: options.from })
    const event = recordOf(answer['event'])
    const { capabilityUrl, capabilityExpiresAt } = contentOf(event)
    const id = textOf(event['id'])
    await out.result(answer, {
      id,
      print: async () => {
        const offer = offerOf(contentOf(event), as.user)
        for (const line of offerLines(offer, offer.entries, 'en')) out.note(line)
        const end = typeof capabilityExpiresAt === 'number' ? `until ${when(capabilityExpiresAt)}` : 'until it is invalidated'
        out.done(`Link created. It is valid for ${options.open ? 'any account' : 'one account'}, ${end}:`)
        await out.line(textOf(capabilityUrl))
        out.note(`  See who accepts: ${commandFor('consents', 'show', id, '--user', as.user)}`)
      },
    })
  },
})

/** Returns the stream of a scope. Consents of one scope share the messages of two accounts, so each link gets its own by default. */
function scopeFrom(word: string | undefined): string {
  if (word === undefined) return appStreamOf(`coffer:${randomBytes(5).toString('hex')}`)
  const scope = word.startsWith(appStreamOf('')) ? word : appStreamOf(word)
  if (appCodeOf(scope) !== undefined) return scope
  throw usageError(`--scope takes an app of lower-case letters, digits and dashes, such as study:autumn, not ${JSON.stringify(word)}`)
}
