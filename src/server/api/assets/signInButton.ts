/**
 * Sign-in button that browser clients insert into an app's page (docs/interface/service-info.md#assets). Clients write the label
 * into the element `pryv-access-btn-text`, and listen for clicks on the whole button.
 */
import * as z from 'zod'
import { anybody } from '../../call/callers.js'
import { platformMethod } from '../../call/method.js'
import { languages, type InLanguages } from '../../base/words.js'
import { KEEP_ASSETS } from './definitions.js'

const HTML = `<button type="button" class="coffer-sign-in">
<svg aria-hidden="true" focusable="false" viewBox="0 0 24 24" width="20" height="20"><path fill="currentColor" d="M12 2a5 5 0 0 1 5 5v3h1a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2v-8a2 2 0 0 1 2-2h1V7a5 5 0 0 1 5-5zm0 2a3 3 0 0 0-3 3v3h6V7a3 3 0 0 0-3-3zm0 9.5a1.5 1.5 0 0 0-.75 2.8V18h1.5v-1.7a1.5 1.5 0 0 0-.75-2.8z"/></svg>
<span id="pryv-access-btn-text"></span>
</button>
`

const CSS = `.coffer-sign-in {
  display: inline-flex;
  align-items: center;
  gap: 0.6em;
  max-width: 100%;
  min-height: 44px;
  padding: 0.5em 1.1em;
  border: 1px solid transparent;
  border-radius: 8px;
  background: #0b5cad;
  color: #fff;
  font: 600 1rem/1.3 system-ui, sans-serif;
  text-align: start;
  overflow-wrap: anywhere;
  cursor: pointer;
}
.coffer-sign-in svg {
  flex: none;
}
.coffer-sign-in:hover {
  background: #094a8c;
}
.coffer-sign-in:focus-visible {
  outline: 3px solid #0b5cad;
  outline-offset: 2px;
}
@media (prefers-color-scheme: dark) {
  .coffer-sign-in:focus-visible {
    outline-color: #7db8f5;
  }
}
@media (forced-colors: active) {
  .coffer-sign-in {
    border-color: ButtonText;
  }
}
`

const messages = {
  LOADING: { en: 'Loading…', fr: 'Chargement…', de: 'Wird geladen …' },
  ERROR: { en: 'Error', fr: 'Erreur', de: 'Fehler' },
  LOGIN: { en: 'Sign in', fr: 'Se connecter', de: 'Anmelden' },
  SIGNOUT_CONFIRM: { en: 'Sign out?', fr: 'Se déconnecter ?', de: 'Abmelden?' },
} satisfies Record<string, InLanguages<string>>

const file = { input: z.unknown(), output: () => z.object({ text: z.string().describe('The text of the file.') }), fails: [] }

export const buttonHtml = platformMethod({
  ...file,
  id: 'assets.signInButton',
  summary: 'Reads the HTML of the sign-in button.',
  http: { verb: 'GET', path: '/assets/sign-in/button.html', rawText: 'text/html', cacheSeconds: KEEP_ASSETS },
  caller: anybody,
  run: () => ({ text: HTML }),
})

export const buttonStyles = platformMethod({
  ...file,
  id: 'assets.signInStyles',
  summary: 'Reads the style sheet of the sign-in button.',
  http: { verb: 'GET', path: '/assets/sign-in/button.css', rawText: 'text/css', cacheSeconds: KEEP_ASSETS },
  caller: anybody,
  run: () => ({ text: CSS }),
})

const InEach = z.strictObject(Object.fromEntries(languages.map((language) => [language, z.string().describe(`The text in the language ${language}.`)])))

export const buttonMessages = platformMethod({
  id: 'assets.signInMessages',
  summary: 'Reads the texts of the sign-in button, in each language.',
  http: { verb: 'GET', path: '/assets/sign-in/messages.json', withoutMeta: true, cacheSeconds: KEEP_ASSETS },
  caller: anybody,
  input: z.unknown(),
  output: () => z.object({
    LOADING: InEach.describe('While the state is being read.'),
    ERROR: InEach.describe('After a failure.'),
    LOGIN: InEach.describe('Signed out: a click signs in.'),
    SIGNOUT_CONFIRM: InEach.describe('Question before signing out.'),
  }),
  fails: [],
  run: () => messages,
})
