/** @jsxImportSource hono/jsx */
/** Page that sets the language of the shown account: that of its pages and mails. */
import { update } from '../../../api/account/update.js'
import { languages } from '../../../base/words.js'
import { Form } from '../../layout.js'
import { linkTo } from '../../links.js'
import type { Answer, Page } from '../../page.js'
import { problemOf, type Problem } from '../../problem.js'
import { callAsOwner } from '../../session.js'
import { languageNames } from '../../words.js'
import { consolePage, type ConsoleVisit } from '../consolePage.js'
import { consoleWords } from '../words.js'
import { loadAccount } from './account.js'
import { LANGUAGE_PATH } from './paths.js'
import { subpage } from './view.js'
import { settingsWords } from './words.js'

export const languagePage: Page = consolePage({
  path: LANGUAGE_PATH,
  section: 'settings',
  show: (visit) => view(visit),
  async submit(submission) {
    const { node, flow, form, session } = submission
    try {
      await callAsOwner(submission, session, update, { update: { language: (form.get('language') ?? '').slice(0, 20) } })
    } catch (error) {
      return view(submission, problemOf(submission, error))
    }
    // A language in the address would hide the new one.
    const { lang: _, ...rest } = flow
    return { redirect: linkTo({ node, flow: rest }, LANGUAGE_PATH, { done: 'changed' }) }
  },
})

async function view(visit: ConsoleVisit, problem?: Problem): Promise<Answer> {
  const words = settingsWords[visit.language].language
  const { language } = await loadAccount(visit)
  const isOffered = languages.some((one) => one === language)
  const body = (
    <Form visit={visit} path={LANGUAGE_PATH} problem={problem}>
      <p class="soft">{words.text}</p>
      <label for="language">{words.label}</label>
      <select id="language" name="language">
        {isOffered ? null : (
          <option value={language} selected>
            {language}
          </option>
        )}
        {languages.map((one) => (
          <option value={one} lang={one} selected={one === language}>
            {languageNames[one]}
          </option>
        ))}
      </select>
      <p class="buttons">
        <button>{consoleWords[visit.language].save}</button>
      </p>
    </Form>
  )
  return subpage(visit, { title: words.title, body, problem, notices: { changed: words.changed } })
}
