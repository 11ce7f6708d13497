/** Texts of the pages about consents between accounts. */
import type { InLanguages } from '../../../base/words.js'

interface ConsentTexts {
  text: string
  none: string
  noneHint: string
  answer: string
  answerText: string
  link: string
  linkHint: string
  show: string
  notLink: string
  kinds: { invite: string; given: string; received: string }
  status: Readonly<Record<string, string>>
  with: string
  unverified: string
  since: string
  expires: string
  joined: string
  fallback: string
  opens: string
  messages: string
  noMessages: string
  you: string
  notSent: string
  write: string
  send: string
  withdraw: string
  withdrawTitle: string
  withdrawTexts: { invite: string; given: string; received: string }
  reason: string
  reasonHint: string
  keep: string
  withdrawn: string
  sent: string
  accepted: string
  refused: string
  working: string
  gone: string
  requestedBy(account: string): string
  theyCan: string
  agree: string
  required: string
  noChat: string
  accept: string
  refuse: string
  nothing: string
  failed: string
  failures: Readonly<Record<'link' | 'used' | 'revoked' | 'already' | 'unreachable' | 'broken' | 'self' | 'choice' | 'off' | 'relation' | 'name', string>>
}

export const consentTexts: InLanguages<ConsentTexts> = {
  en: {
    text: 'A consent opens some of your data to another account, or data of another account to you, under a text that both sides keep.',
    none: 'There are no consents.',
    noneHint: 'A person or an institution sends you a link to its request; you answer it here.',
    answer: 'Answer a request',
    answerText: 'Paste the link that you received. Nothing is given before you have read the request.',
    link: 'Link to the request',
    linkHint: 'It looks like https://…@example.org/name/.',
    show: 'Read the request',
    notLink: 'This is not a link to a request. Paste it whole, as you received it.',
    kinds: { invite: 'Your request', given: 'You gave it', received: 'Given to you' },
    status: { pending: 'waits for an answer', accepted: 'accepted', refused: 'refused', revoked: 'withdrawn', invalidated: 'withdrawn', expired: 'expired', delivered: 'delivered', active: 'active', ended: 'ended', failed: 'failed', completed: 'active' },
    with: 'With',
    unverified: 'name not verified',
    since: 'Since',
    expires: 'Link valid until',
    joined: 'Joined',
    fallback: 'Consent',
    opens: 'What it opens',
    messages: 'Messages',
    noMessages: 'No messages yet.',
    you: 'You',
    notSent: 'not delivered',
    write: 'Write a message',
    send: 'Send',
    withdraw: 'Withdraw',
    withdrawTitle: 'Withdraw this consent?',
    withdrawTexts: {
      invite: 'Your request can no longer be accepted with its link. Consents already given stay.',
      given: 'The other account can no longer see or change your data, immediately, and is notified. Messages stay on both sides; data already read cannot be taken back.',
      received: 'You give up your access to the data of the other account, which is notified.',
    },
    reason: 'Reason (optional)',
    reasonHint: 'The other account receives it.',
    keep: 'Keep it',
    withdrawn: 'Consent withdrawn.',
    sent: 'Message sent.',
    accepted: 'You accepted the request.',
    refused: 'You refused the request. The other account is notified.',
    working: 'The other account has not answered yet. The result will be shown here.',
    gone: 'This consent no longer exists.',
    requestedBy: (account) => `Requested by ${account}`,
    theyCan: 'They will be able to:',
    agree: 'You agree to:',
    required: 'required',
    noChat: 'Do not allow messages between the two accounts',
    accept: 'Accept',
    refuse: 'Refuse',
    nothing: 'Nothing is ticked. To give nothing, refuse the request.',
    failed: 'This did not succeed.',
    failures: {
      link: 'The link is unknown to the other node, or has expired. Ask for a new one.',
      used: 'This link has already been used. Ask for a new one.',
      revoked: 'The request was withdrawn.',
      already: 'You have already accepted this request.',
      unreachable: 'The other node could not be reached. Try again later.',
      broken: 'The request is invalid and cannot be accepted. Ask for a new link.',
      self: 'This is a request of your own account.',
      choice: 'The request must be accepted as a whole, or with all its required parts.',
      off: 'Messages are switched off between the two accounts.',
      relation: 'There is no consent for this between the two accounts, or it is not complete yet.',
      name: 'There is already an access with this name.',
    },
  },
  fr: {
    text: 'Un consentement ouvre certaines de vos données à un autre compte, ou les siennes à vous, selon un texte que les deux côtés gardent.',
    none: 'Il n’y a pas de consentement.',
    noneHint: 'Une personne ou une institution vous envoie un lien vers sa demande ; vous y répondez ici.',
    answer: 'Répondre à une demande',
    answerText: 'Collez le lien reçu. Rien n’est donné avant que vous ayez lu la demande.',
    link: 'Lien vers la demande',
    linkHint: 'Il ressemble à https://…@example.org/nom/.',
    show: 'Lire la demande',
    notLink: 'Ce n’est pas un lien vers une demande. Collez-le en entier, comme vous l’avez reçu.',
    kinds: { invite: 'Votre demande', given: 'Donné par vous', received: 'Donné à vous' },
    status: { pending: 'attend une réponse', accepted: 'accepté', refused: 'refusé', revoked: 'retiré', invalidated: 'retiré', expired: 'expiré', delivered: 'transmis', active: 'actif', ended: 'terminé', failed: 'échoué', completed: 'actif' },
    with: 'Avec',
    unverified: 'nom non vérifié',
    since: 'Depuis',
    expires: 'Lien valable jusqu’au',
    joined: 'Participants',
    fallback: 'Consentement',
    opens: 'Ce qu’il ouvre',
    messages: 'Messages',
    noMessages: 'Pas encore de messages.',
    you: 'Vous',
    notSent: 'non transmis',
    write: 'Écrire un message',
    send: 'Envoyer',
    withdraw: 'Retirer',
    withdrawTitle: 'Retirer ce consentement ?',
    withdrawTexts: {
      invite: 'Plus personne ne peut accepter votre demande avec son lien. Les consentements déjà donnés restent.',
      given: 'L’autre compte ne peut plus voir ni modifier vos données, immédiatement, et en est informé. Les messages restent des deux côtés ; les données déjà lues ne peuvent pas être reprises.',
      received: 'Vous renoncez à votre accès aux données de l’autre compte, qui en est informé.',
    },
    reason: 'Raison (facultative)',
    reasonHint: 'L’autre compte la reçoit.',
    keep: 'Ne rien changer',
    withdrawn: 'Consentement retiré.',
    sent: 'Message envoyé.',
    accepted: 'Vous avez accepté la demande.',
    refused: 'Vous avez refusé la demande. L’autre compte en est informé.',
    working: 'L’autre compte n’a pas encore répondu. Le résultat s’affichera ici.',
    gone: 'Ce consentement n’existe plus.',
    requestedBy: (account) => `Demandé par ${account}`,
    theyCan: 'Il sera possible de :',
    agree: 'Vous acceptez :',
    required: 'obligatoire',
    noChat: 'Ne pas permettre de messages entre les deux comptes',
    accept: 'Accepter',
    refuse: 'Refuser',
    nothing: 'Rien n’est coché. Pour ne rien donner, refusez la demande.',
    failed: 'Cela n’a pas réussi.',
    failures: {
      link: 'L’autre nœud ne connaît pas ce lien, ou il a expiré. Demandez-en un nouveau.',
      used: 'Ce lien a déjà été utilisé. Demandez-en un nouveau.',
      revoked: 'La demande a été retirée.',
      already: 'Vous avez déjà accepté cette demande.',
      unreachable: 'L’autre nœud n’a pas pu être joint. Réessayez plus tard.',
      broken: 'La demande n’est pas valable et ne peut pas être acceptée. Demandez un nouveau lien.',
      self: 'C’est une demande de votre propre compte.',
      choice: 'La demande doit être acceptée en entier, ou avec toutes ses parties obligatoires.',
      off: 'Les messages sont désactivés entre les deux comptes.',
      relation: 'Il n’y a pas de consentement pour cela entre les deux comptes, ou il n’est pas encore complet.',
      name: 'Un accès porte déjà ce nom.',
    },
  },
  de: {
    text: 'Eine Einwilligung öffnet einem anderen Konto gewisse Daten von Ihnen, oder Ihnen seine, nach einem Text, den beide Seiten behalten.',
    none: 'Es gibt keine Einwilligungen.',
    noneHint: 'Eine Person oder Institution schickt Ihnen einen Link zu ihrer Anfrage; Sie beantworten sie hier.',
    answer: 'Eine Anfrage beantworten',
    answerText: 'Fügen Sie den erhaltenen Link ein. Nichts wird gegeben, bevor Sie die Anfrage gelesen haben.',
    link: 'Link zur Anfrage',
    linkHint: 'Er sieht aus wie https://…@example.org/name/.',
    show: 'Anfrage lesen',
    notLink: 'Das ist kein Link zu einer Anfrage. Fügen Sie ihn ganz ein, so wie Sie ihn erhalten haben.',
    kinds: { invite: 'Ihre Anfrage', given: 'Von Ihnen gegeben', received: 'Ihnen gegeben' },
    status: { pending: 'wartet auf Antwort', accepted: 'angenommen', refused: 'abgelehnt', revoked: 'zurückgezogen', invalidated: 'zurückgezogen', expired: 'abgelaufen', delivered: 'zugestellt', active: 'aktiv', ended: 'beendet', failed: 'gescheitert', completed: 'aktiv' },
    with: 'Mit',
    unverified: 'Name nicht geprüft',
    since: 'Seit',
    expires: 'Link gültig bis',
    joined: 'Beigetreten',
    fallback: 'Einwilligung',
    opens: 'Was sie öffnet',
    messages: 'Nachrichten',
    noMessages: 'Noch keine Nachrichten.',
    you: 'Sie',
    notSent: 'nicht zugestellt',
    write: 'Nachricht schreiben',
    send: 'Senden',
    withdraw: 'Zurückziehen',
    withdrawTitle: 'Diese Einwilligung zurückziehen?',
    withdrawTexts: {
      invite: 'Niemand kann Ihre Anfrage mehr mit dem Link annehmen. Bereits gegebene Einwilligungen bleiben.',
      given: 'Das andere Konto kann Ihre Daten sofort nicht mehr sehen oder ändern und wird benachrichtigt. Nachrichten bleiben auf beiden Seiten; bereits Gelesenes lässt sich nicht zurückholen.',
      received: 'Sie verzichten auf Ihren Zugriff auf die Daten des anderen Kontos, das benachrichtigt wird.',
    },
    reason: 'Grund (freiwillig)',
    reasonHint: 'Das andere Konto erhält ihn.',
    keep: 'Nichts ändern',
    withdrawn: 'Einwilligung zurückgezogen.',
    sent: 'Nachricht gesendet.',
    accepted: 'Sie haben die Anfrage angenommen.',
    refused: 'Sie haben die Anfrage abgelehnt. Das andere Konto wird benachrichtigt.',
    working: 'Das andere Konto hat noch nicht geantwortet. Das Ergebnis erscheint hier.',
    gone: 'Diese Einwilligung gibt es nicht mehr.',
    requestedBy: (account) => `Angefragt von ${account}`,
    theyCan: 'Damit kann man:',
    agree: 'Sie stimmen zu:',
    required: 'nötig',
    noChat: 'Keine Nachrichten zwischen den beiden Konten erlauben',
    accept: 'Annehmen',
    refuse: 'Ablehnen',
    nothing: 'Nichts ist angekreuzt. Um nichts zu geben, lehnen Sie die Anfrage ab.',
    failed: 'Das ist nicht gelungen.',
    failures: {
      link: 'Der andere Knoten kennt den Link nicht, oder er ist abgelaufen. Bitten Sie um einen neuen.',
      used: 'Dieser Link wurde schon verwendet. Bitten Sie um einen neuen.',
      revoked: 'Die Anfrage wurde zurückgezogen.',
      already: 'Sie haben diese Anfrage schon angenommen.',
      unreachable: 'Der andere Knoten war nicht erreichbar. Versuchen Sie es später wieder.',
      broken: 'Die Anfrage ist ungültig und kann nicht angenommen werden. Bitten Sie um einen neuen Link.',
      self: 'Das ist eine Anfrage Ihres eigenen Kontos.',
      choice: 'Die Anfrage muss ganz oder mit allen nötigen Teilen angenommen werden.',
      off: 'Nachrichten sind zwischen den beiden Konten ausgeschaltet.',
      relation: 'Dafür gibt es keine Einwilligung zwischen den beiden Konten, oder sie ist noch nicht vollständig.',
      name: 'Es gibt schon einen Zugriff mit diesem Namen.',
    },
  },
}

type FailureText = keyof ConsentTexts['failures']

const failures: readonly (readonly [RegExp, FailureText])[] = [
  [/^cmc-capability-(invalid|empty)$|^capability-access-not-found$/, 'link'],
  [/consumed$/, 'used'],
  [/invalidated$/, 'revoked'],
  [/already-accepted/, 'already'],
  [/timeout$|read-failed$|delivery-(failed|threw|rejected)$/, 'unreachable'],
  [/^cmc-self-accept/, 'self'],
  [/not-subset$|user-choice|mandatory/, 'choice'],
  [/^cmc-chat-disabled$/, 'off'],
  [/^cmc-(chat|revoke)-/, 'relation'],
  [/name-conflict$/, 'name'],
  [/^cmc-(offer|capability|handler)-/, 'broken'],
]

/** Describes why an exchange with another account failed, by the reason in its event (docs/interface/consents.md#failures). */
export function consentFailureText(reason: string, language: keyof typeof consentTexts): string {
  const { failed, failures: texts } = consentTexts[language]
  const [, name] = failures.find(([pattern]) => pattern.test(reason)) ?? []
  return name === undefined ? failed : texts[name]
}
