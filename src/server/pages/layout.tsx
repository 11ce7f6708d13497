/** @jsxImportSource hono/jsx */
/** The frame of every page, and the components that pages share. */
import type { Child } from 'hono/jsx'
import { languages } from '../base/words.js'
import { scriptAsset, styleAsset, type Asset } from './assets.js'
import { callsRoot, linkTo, pagesRoot } from './links.js'
import type { PageContent, Visit } from './page.js'
import type { Problem } from './problem.js'
import { commonWords, languageNames } from './words.js'

/** Name of the form field with the CSRF token. */
export const FORM_TOKEN = 'form_token'

/** Renders a page as HTML. `path` is that of the page, for links to its other languages. */
export async function documentOf(visit: Visit, path: string, content: PageContent): Promise<string> {
  const { title, body, goesTo, isWide, frame, assets = [] } = content
  const { node, language, session, query } = visit
  const words = commonWords[language]
  const root = pagesRoot(node)
  const name = node.config.get('service.name')
  const others = languages.filter((other) => other !== language)
  const parameters = Object.fromEntries(query)
  const languageLinks = (
    <nav aria-label={words.language}>
      <ul>
        {others.map((other) => (
          <li>
            <a href={linkTo(visit, path, { ...parameters, lang: other })} lang={other} hreflang={other}>
              {languageNames[other]}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
  const html = (
    <html lang={language}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <meta name="referrer" content="no-referrer" />
        {goesTo === undefined ? null : <meta http-equiv="refresh" content={`0; url=${goesTo}`} />}
        <title>{`${title} · ${name}`}</title>
        <link rel="icon" type="image/svg+xml" href={`${callsRoot(node)}/assets/favicon.svg`} />
        {[styleAsset, scriptAsset, ...assets].map((asset) => (
          <AssetLink asset={asset} root={root} />
        ))}
      </head>
      {frame !== undefined ? frame(content, languageLinks) : (
      <body class={isWide === true ? 'wide' : ''}>
        <header>
          <strong>{name}</strong>
          {session === undefined ? null : (
            <span class="small name">
              {words.signedInAs} <strong>{session.user.username}</strong>
            </span>
          )}
        </header>
        <main>
          <h1>{title}</h1>
          {body}
        </main>
        <footer>{languageLinks}</footer>
      </body>
      )}
    </html>
  )
  // Asynchronous components make the rendered text a promise.
  const text = await Promise.resolve(html.toString())
  return `<!DOCTYPE html>${text}`
}

const AssetLink = ({ asset, root }: { asset: Asset; root: string }) =>
  asset.type.startsWith('text/css') ? <link rel="stylesheet" href={root + asset.path} /> : <script src={root + asset.path} defer></script>

interface FormProps {
  visit: Visit
  /** Path of the page that handles the form. */
  path: string
  problem?: Problem | undefined
  id?: string
  /** True for a form with files. */
  hasFiles?: boolean
  /** Further attributes: `data-…`. */
  more?: Readonly<Record<string, string>>
  children?: Child
}

/** Renders a form with its CSRF token, and above it the problem of the last submission. */
export function Form({ visit, path, problem, id, hasFiles = false, more = {}, children }: FormProps) {
  const wait = problem?.waitSeconds
  return (
    <form
      method="post"
      action={linkTo(visit, path)}
      {...(id === undefined ? {} : { id })}
      {...(hasFiles ? { enctype: 'multipart/form-data' } : {})}
      {...(wait === undefined ? {} : { 'data-wait': String(wait) })}
      {...more}
    >
      <ProblemBox visit={visit} problem={problem} />
      <input type="hidden" name={FORM_TOKEN} value={visit.formToken} />
      {children}
    </form>
  )
}

interface SearchFormProps {
  visit: Pick<Visit, 'node' | 'flow'>
  /** Path of the page that shows what was found. */
  path: string
  /** Parameters of the address that stay. */
  parameters?: Readonly<Record<string, string>>
  /** Further attributes: `class`, `role`, `data-…`. */
  more?: Readonly<Record<string, string>>
  children?: Child
}

/** Renders a form whose fields become the query of the address; the parameters of the flow stay. */
export function SearchForm({ visit: { node, flow }, path, parameters = {}, more = {}, children }: SearchFormProps) {
  return (
    <form method="get" action={linkTo({ node, flow: {} }, path)} {...more}>
      <Hidden fields={{ ...flow, ...parameters }} />
      {children}
    </form>
  )
}

/** Renders hidden fields of a form. */
export function Hidden({ fields }: { fields: Readonly<Record<string, string>> }) {
  return (
    <>
      {Object.entries(fields).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
    </>
  )
}

/** Renders the problem of a form; screen readers announce it when the page opens. */
export function ProblemBox({ visit, problem }: { visit: Visit; problem?: Problem | undefined }) {
  if (problem === undefined) return <></>
  return (
    <div class="problem" role="alert" id="problem">
      <p>
        <span class="hidden">{commonWords[visit.language].problem}: </span>
        {problem.text}
      </p>
    </div>
  )
}

interface FieldProps {
  name: string
  label: string
  type?: string
  value?: string | undefined
  hint?: string
  problem?: Problem | undefined
  /** Further attributes of the input: `autocomplete`, `inputmode`, `data-…`. */
  more?: Readonly<Record<string, string | boolean>>
  isRequired?: boolean
  /** True for the one field of a page that gets the focus. */
  isFirst?: boolean
}

/** Renders a labelled input. */
export function Field({ name, label, type = 'text', value, hint, problem, more = {}, isRequired = true, isFirst = false }: FieldProps) {
  const isWrong = problem?.field === name
  const describedBy = [...(hint === undefined ? [] : [`${name}-hint`]), ...(isWrong ? ['problem'] : [])].join(' ')
  return (
    <>
      <label for={name}>{label}</label>
      <input
        id={name}
        name={name}
        type={type}
        value={value ?? ''}
        required={isRequired}
        autofocus={isFirst}
        {...(describedBy === '' ? {} : { 'aria-describedby': describedBy })}
        {...(isWrong ? { 'aria-invalid': 'true' } : {})}
        {...more}
      />
      {hint === undefined ? null : (
        <p class="hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
    </>
  )
}

/** Renders a password input with a button that shows the password. */
export function PasswordField({ visit, isNew = false, ...field }: FieldProps & { visit: Visit; isNew?: boolean }) {
  const { showPassword, hidePassword } = commonWords[visit.language]
  const more = { autocomplete: isNew ? 'new-password' : 'current-password', 'data-show': `${showPassword}|${hidePassword}` }
  return <Field {...field} type="password" more={{ ...more, ...field.more }} />
}
