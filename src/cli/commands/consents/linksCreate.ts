import { randomBytes } from 'node:crypto'
import { appCodeOf, appStreamOf } from '../../../store/model/cmc.js'
import { command } from '../../command.js'
import { ask, askedOptions, requestOf } from '../../consents/asking.js'
import { offerLines, offerOf } from '../../consents/offer.js'
import { contentOf } from '../../consents/relations.js'
import { wordsByLanguage, wordsOption } from '../../consents/words.js'
import { usageError } from '../../framework/exit.js'
import { recordOf, textOf } from '../../client/answer.js'
import { accountOf, userOption } from '../../client/user.js'
import { flag, text } from '../../framework/option.js'
import { when } from '../../terminal/output/format.js'
import { expires } from '../accesses/lifetime.js'

/** `coffer consents links create`. */
export const create = command({
  path: ['consents', 'links', 'create'],
  summary: 'Ask others for access to some of their data, by a link',
  description:
    'Whoever is given the link can read what is asked for and agree to it, with an account here or on another node; they give an access to streams of theirs, and both can write messages. The link is good for one account, for 7 days; with --open for any number.\n\nstdout carries nothing but the link.',
  options: {
    title: wordsOption('Title', { required: true }),
    description: wordsOption('What it is about', { required: true }),
    consent: wordsOption('What they agree to', { required: true }),
    ...askedOptions,
    open: flag('Good for any number of accounts, until it ends or is invalidated'),
    expires: expires('When the link ends, such as 30d or 2027-01-31; never with --open alone', { never: true }),
    scope: text('App and part of it that it belongs to; one of its own without it', { placeholder: 'app:part' }),
    user: userOption,
  },
  examples: [
    {
      type: `coffer consents links create --title 'Sleep study' --description 'How people sleep' --consent 'I take part' --permission sleep:read`,
      says: 'a link for one',
    },
    {
      type: `coffer consents links create --open --expires never --title Study --title fr=Étude --description … --consent … --permission diary:read --permission steps:read --allow-user-choice --mandatory steps`,
      says: 'for anybody, in two languages, the diary as they like',
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
    const answer = await ask(client, as, { scope, mode, request, from: options.from })
    const event = recordOf(answer['event'])
    const { capabilityUrl, capabilityExpiresAt } = contentOf(event)
    const id = textOf(event['id'])
    await out.result(answer, {
      id,
      print: async () => {
        const offer = offerOf(contentOf(event), as.user)
        for (const line of offerLines(offer, offer.entries, 'en')) out.note(line)
        const end = typeof capabilityExpiresAt === 'number' ? `until ${when(capabilityExpiresAt)}` : 'until it is invalidated'
        out.done(`Asked. The link below is good for ${options.open ? 'anybody' : 'one account'}, ${end}:`)
        await out.line(textOf(capabilityUrl))
        out.note(`  See who agrees: ${commandFor('consents', 'show', id, '--user', as.user)}`)
      },
    })
  },
})

/** The stream of a scope; consents of one scope share the messages of two accounts, so each link has its own by default. */
function scopeFrom(word: string | undefined): string {
  if (word === undefined) return appStreamOf(`coffer:${randomBytes(5).toString('hex')}`)
  const scope = word.startsWith(appStreamOf('')) ? word : appStreamOf(word)
  if (appCodeOf(scope) !== undefined) return scope
  throw usageError(`--scope takes an app of lower-case letters, digits and dashes, such as study:autumn, not ${JSON.stringify(word)}`)
}
