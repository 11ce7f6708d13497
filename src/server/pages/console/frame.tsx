/** @jsxImportSource hono/jsx */
/** Frame of the pages of the console: name of the node, navigation, account, and the content. */
import type { Child } from 'hono/jsx'
import { callsRoot, linkTo } from '../links.js'
import { Form } from '../layout.js'
import type { Session } from '../flow.js'
import type { OwnVisit, PageContent } from '../page.js'
import { commonWords } from '../words.js'
import { IconImage, Mark } from './icons.js'
import { accountSections, operatorSection, type Section, type SectionId } from './sections.js'
import { consoleWords } from './words.js'

interface FrameProps {
  /** `person` is the session of the signed-in person. */
  visit: OwnVisit & { person: Session }
  section: SectionId
  content: PageContent
  /** Links to the page in its other languages. */
  languages: Child
}

export function Frame({ visit, section, content, languages }: FrameProps) {
  const { node, language, session, person } = visit
  const words = consoleWords[language]
  const isActing = session.user.username !== person.user.username
  return (
    <body class="console">
      <a class="skip" href="#content">
        {words.skip}
      </a>
      <header class="top">
        <a class="brand" href={linkTo(visit, '/overview')}>
          <Mark />
          <strong>{node.config.get('service.name')}</strong>
        </a>
        <details class="menu narrow-only">
          <summary>
            <IconImage name="menu" />
            {words.menu}
          </summary>
          <div class="drawer">
            <Sections visit={visit} section={section} label={words.menu} />
          </div>
        </details>
        <details class="menu account">
          <summary>
            <span class="avatar" aria-hidden="true">
              {session.user.username.slice(0, 1).toUpperCase()}
            </span>
            <span class="name wide-only">{session.user.username}</span>
            <span class="hidden">{words.account}</span>
          </summary>
          <div class="drawer right">
            <p class="small">
              <strong class="name">{session.user.username}</strong>
            </p>
            <ul class="plain">
              <li>
                <a href={linkTo(visit, '/accounts')}>{words.switchAccount}</a>
              </li>
              <li>
                <a href={linkTo(visit, '/settings')}>{words.sections.settings}</a>
              </li>
            </ul>
            <button class="second" form="sign-out">
              {commonWords[language].signOut}
            </button>
          </div>
        </details>
      </header>
      {isActing ? (
        <section class="acting" aria-label={words.account}>
          {words.viewing(person.user.username)} <a href={linkTo({ node, flow: {} }, '/overview')}>{words.ownAccount}</a>
        </section>
      ) : null}
      <div class="columns">
        <div class="side wide-only">
          <Sections visit={visit} section={section} label={words.navigation} />
        </div>
        <main id="content" tabindex={-1}>
          <h1>{content.title}</h1>
          {content.body}
        </main>
      </div>
      <footer>
        {languages}
        <a href={`${callsRoot(node)}/`}>{node.config.get('service.name')}</a>
        <Form visit={visit} path="/sign-out" id="sign-out" />
      </footer>
    </body>
  )
}

function Sections({ visit, section, label }: { visit: OwnVisit; section: SectionId; label: string }) {
  const { sections } = consoleWords[visit.language]
  const shown: readonly Section[] = section === 'operator' ? [...accountSections, operatorSection] : accountSections
  return (
    <nav aria-label={label}>
      <ul class="sections">
        {shown.map(({ id, path, icon }) => (
          <li>
            <a href={linkTo(visit, path)} {...(id === section ? { 'aria-current': 'page' } : {})}>
              <IconImage name={icon} />
              {sections[id]}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}
