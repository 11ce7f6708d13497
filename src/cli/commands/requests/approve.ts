import { command } from '../../command.js'
import { CommandError } from '../../framework/exit.js'
import { confirm, yesOption } from '../../terminal/input/confirm.js'
import { userOption } from '../../client/user.js'
import { list, text } from '../../framework/option.js'
import { accountForRequest } from './account.js'
import { consentLines, consentOf, entriesToGrant, obstacleOf } from './consent.js'
import { answersOf, promptForAnswers, inviteLines, isOfInvite, outcomeLines } from './invites.js'

/** `coffer requests approve`. */
export const approve = command({
  path: ['requests', 'approve'],
  summary: 'Approve the request of an app for access',
  description:
    'Shows what the app will be able to do, and asks for confirmation. The app receives its token within a second or two; it is not shown here.\n\nAn app may make some permissions optional: see coffer requests show. It may also request consents to other accounts, which are numbered. Approving the request accepts the required ones; answer each of the others with --agree and --decline, or at the prompt. Optional parts of such a consent are named with its number: --without 2:diary.',
  arguments: { key: text('Key of the request, or the start of it', { required: true, names: 'request' }) },
  options: {
    without: list('Leave out this requested stream', { placeholder: 'stream' }),
    also: list('Also grant this stream, which is not selected by default', { placeholder: 'stream' }),
    agree: list('Accept this optional consent to another account', { placeholder: 'n' }),
    decline: list('Decline this optional consent', { placeholder: 'n' }),
    yes: yesOption(),
    user: userOption,
  },
  examples: [
    { type: 'coffer requests approve k7f2ab --user ana-lovelace', description: 'prompt for confirmation' },
    { type: 'coffer requests approve k7f2ab --user ana-lovelace --without diary --yes', description: 'grant all but one stream' },
    { type: 'coffer requests approve k7f2ab --user ana-lovelace --agree 1 --decline 2 --yes', description: 'accept the first of two optional consents' },
  ],
  json: '{"request":{…},"access":{"id","permissions","isNew"},"cmcInvites":[…]}, without the token; cmcInvites if the app requested consents, as the app receives them',
  offline: false,
  async run({ out, connect, terminal, commandFor }, { key, without, also, agree, decline, yes, user }) {
    const client = await connect()
    const username = await accountForRequest(client, key, user, 'approve')
    const requestResult = await client.call('requests.show', { key, username, language: 'en' }, {})
    const consent = consentOf(requestResult)
    const fullKey = requestResult.request.key
    const obstacle = obstacleOf(consent)
    if (obstacle !== undefined) {
      throw new CommandError(obstacle, { hint: `Refuse it: ${commandFor('requests', 'refuse', fullKey)}` })
    }
    const isOwn = (word: string): boolean => !isOfInvite(consent, word)
    const keep = entriesToGrant(consent, without.filter(isOwn), also.filter(isOwn))
    const { answers: fromOptions, undecided } = answersOf(consent, { agree, decline, without, also })
    for (const line of [...consentLines(consent, keep), ...inviteLines(consent, fromOptions)]) out.note(line)
    const answers = { ...fromOptions, ...(await promptForAnswers(terminal, undecided, yes)) }
    await confirm(terminal, `Give ${consent.app.name} this access to ${username}?`, yes)
    const answer = await client.call('requests.approve', { key: fullKey, username, keep, answers }, {})
    const { access } = answer
    const { id } = access
    await out.result(answer, {
      id,
      print: () => {
        for (const line of outcomeLines(answer)) out.note(line)
        out.done(access.isNew ? `Access ${id} created for ${username}.` : `The app already had the access ${id}.`)
        out.note(`  Revoke it: ${commandFor('accesses', 'revoke', id, '--user', username)}`)
      },
    })
  },
})
