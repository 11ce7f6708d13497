import { openInBrowser } from '../browser.js'
import { command } from '../command.js'
import { numberOf, textOf } from '../node/answer.js'
import { accountOf, userOption } from '../node/user.js'
import { choice, flag } from '../option.js'
import { clock } from '../output/words.js'

/** `coffer open`. */
export const open = command({
  path: ['open'],
  summary: 'Open the page of an account in the browser, signed in',
  description:
    'The page shows who has access to the account, or with --page mfa the second factor. The link signs in once, within two minutes; the address that the browser keeps holds nothing of it.\n\nWithout a display, with --print and under --json, the link is printed in place of being opened. Whoever has it first is signed in: other users of this machine can read the arguments of programs, so use --print where you do not trust them.',
  options: {
    user: userOption,
    page: choice(['access', 'mfa'], 'Which page; access unless given'),
    print: flag('Print the link, open nothing'),
  },
  examples: [
    { type: 'coffer open', says: 'who has access to the only account' },
    { type: 'coffer open --user ana-lovelace --page mfa', says: 'set up the second factor' },
    { type: 'coffer open --user ana-lovelace --print', says: 'the link, to paste into a browser' },
  ],
  json: '{"username","page","url","expires"}, expires in seconds',
  offline: false,
  async run({ out, connect, env, commandFor }, { user, page, print }) {
    const door = await connect()
    const { user: username } = await accountOf(door, user)
    const answer = await door.call('pages.open', { username, ...(page === undefined ? {} : { page }) }, {})
    const url = textOf(answer['url'])
    const until = `once, until ${clock(numberOf(answer['expires']) ?? 0)}`
    await out.result(answer, {
      id: url,
      tell: async () => {
        if (!print && (await openInBrowser(url, process.platform, env))) {
          out.done(`Opened the page of ${username} in the browser; its link works ${until}`)
          out.note(`  If no browser shows it: ${commandFor('open', '--user', username, '--print')}`)
          return
        }
        await out.line(url)
        out.note(`  ${print ? 'Open' : 'No browser can be opened from here: open'} this in one; it works ${until}`)
      },
    })
  },
})
