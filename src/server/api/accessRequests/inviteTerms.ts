/** Texts of consents to other accounts, in every language. */
import type { InLanguages } from '../../base/words.js'

/** Kinds of reasons why a consent cannot be given. */
export type InviteProblem = 'gone' | 'unreachable' | 'owner-only' | 'own' | 'impossible'

export interface InviteTerms {
  heading(count: number): string
  /** Introduction above all invitations: who requests them and to whom they are given. */
  about: string
  title(asker: string): string
  unreadable: string
  from(account: string, host: string): string
  forAccount(username: string): string
  required: string
  optional: string
  they: string
  theyOnly: string
  chat: string
  alerts: string
  requests: string
  inbox: string
  delegable: string
  consent: string
  given(date: string): string
  agree: string
  decline: string
  declineRequired: string
  question: string
  problems: Readonly<Record<InviteProblem, string>>
  notified: string
}

export const inviteTerms: InLanguages<InviteTerms> = {
  en: {
    heading: (count) => (count === 1 ? 'A consent to another account' : 'Consents to other accounts'),
    about: 'The app requests this along with its access. It is given to another account, and you can withdraw it separately.',
    title: (asker) => `${asker} asks for a consent`,
    unreadable: 'A consent that cannot be shown',
    from: (account, host) => `The account ${account}, by a link that leads to ${host}.`,
    forAccount: (username) => `This is about the account ${username}.`,
    required: 'required by the app',
    optional: 'optional',
    they: 'Choose what they will be able to do:',
    theyOnly: 'They will be able to:',
    chat: 'write messages to you',
    alerts: 'send you alerts',
    requests: 'ask you for more access, which you can refuse',
    inbox: 'write to your inbox of consents, without reading it',
    delegable: 'let others do the same',
    consent: 'You agree to',
    given: (date) => `You agreed to this on ${date}; it is still in force.`,
    agree: 'I agree',
    decline: 'I do not agree',
    declineRequired: 'I do not agree: the app then gets no access',
    question: 'Do you agree?',
    problems: {
      gone: 'The request does not exist, or no longer exists.',
      unreachable: 'The other account cannot be reached at the moment. Try again later.',
      'owner-only': 'Only the owner of the account can agree to this, in person.',
      own: 'The request comes from the account itself.',
      impossible: 'The requested consents cannot be given.',
    },
    notified: 'The app will be notified that this consent could not be given.',
  },
  fr: {
    heading: (count) => (count === 1 ? 'Un consentement envers un autre compte' : 'Des consentements envers d’autres comptes'),
    about: 'L’application le demande en plus de son accès. Il est donné à un autre compte et se retire séparément.',
    title: (asker) => `${asker} demande un consentement`,
    unreadable: 'Un consentement qui ne peut pas être affiché',
    from: (account, host) => `Le compte ${account}, par un lien qui mène à ${host}.`,
    forAccount: (username) => `Cela concerne le compte ${username}.`,
    required: 'exigé par l’application',
    optional: 'facultatif',
    they: 'Choisissez ce que ce compte pourra faire :',
    theyOnly: 'Ce compte pourra :',
    chat: 'vous écrire des messages',
    alerts: 'vous envoyer des alertes',
    requests: 'vous demander davantage d’accès, ce que vous pouvez refuser',
    inbox: 'écrire dans votre boîte de consentements, sans la lire',
    delegable: 'permettre la même chose à d’autres',
    consent: 'Vous consentez à ceci',
    given: (date) => `Vous y avez consenti le ${date}, et cela vaut toujours.`,
    agree: 'Je consens',
    decline: 'Je ne consens pas',
    declineRequired: 'Je ne consens pas : l’application n’obtient alors aucun accès',
    question: 'Consentez-vous ?',
    problems: {
      gone: 'La demande n’existe pas, ou plus.',
      unreachable: 'L’autre compte n’est pas joignable pour le moment. Réessayez plus tard.',
      'owner-only': 'Seul le titulaire du compte peut y consentir, en personne.',
      own: 'La demande vient du compte lui-même.',
      impossible: 'Ce qui est demandé ne peut pas être donné.',
    },
    notified: 'L’application sera avertie que ce consentement n’a pas pu être donné.',
  },
  de: {
    heading: (count) => (count === 1 ? 'Eine Einwilligung gegenüber einem anderen Konto' : 'Einwilligungen gegenüber anderen Konten'),
    about: 'Die App bittet darum zusätzlich zu ihrem Zugriff. Sie gilt einem anderen Konto und lässt sich getrennt zurücknehmen.',
    title: (asker) => `${asker} bittet um eine Einwilligung`,
    unreadable: 'Eine Einwilligung, die nicht gezeigt werden kann',
    from: (account, host) => `Das Konto ${account}, über einen Link, der zu ${host} führt.`,
    forAccount: (username) => `Es geht um das Konto ${username}.`,
    required: 'von der App verlangt',
    optional: 'freiwillig',
    they: 'Wählen Sie, was dieses Konto können wird:',
    theyOnly: 'Dieses Konto wird Folgendes können:',
    chat: 'Ihnen Nachrichten schreiben',
    alerts: 'Ihnen Hinweise schicken',
    requests: 'Sie um mehr Zugriff bitten, was Sie ablehnen können',
    inbox: 'in Ihren Posteingang für Einwilligungen schreiben, ohne ihn zu lesen',
    delegable: 'anderen dasselbe erlauben',
    consent: 'Sie willigen ein in',
    given: (date) => `Sie haben hierin am ${date} eingewilligt, und das gilt weiter.`,
    agree: 'Ich willige ein',
    decline: 'Ich willige nicht ein',
    declineRequired: 'Ich willige nicht ein: Die App erhält dann keinen Zugriff',
    question: 'Willigen Sie ein?',
    problems: {
      gone: 'Die Anfrage gibt es nicht oder nicht mehr.',
      unreachable: 'Das andere Konto ist gerade nicht erreichbar. Versuchen Sie es später noch einmal.',
      'owner-only': 'Hierin kann nur die Inhaberin oder der Inhaber des Kontos persönlich einwilligen.',
      own: 'Die Anfrage kommt von diesem Konto selbst.',
      impossible: 'Was verlangt wird, kann nicht gegeben werden.',
    },
    notified: 'Der App wird mitgeteilt, dass diese Einwilligung nicht gegeben werden konnte.',
  },
}
