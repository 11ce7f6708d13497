import type { InLanguages } from '../../base/words.js'

interface ResetPasswordWords {
  askTitle: string
  ask: string
  name: string
  askButton: string
  noMail: string
  askedTitle: string
  asked: string
  nothingCame: string
  title: string
  username: string
  ends: string
  button: string
  overTitle: string
  over: string
  reused(count: number): string
  early(date: string): string
  another: string
  doneTitle: string
  done: string
  signIn: string
}

export const resetPasswordWords: InLanguages<ResetPasswordWords> = {
  en: {
    askTitle: 'Reset your password',
    ask: 'We send a link to the e-mail address of your account. It leads to a page where you choose a new password.',
    name: 'User name or e-mail address',
    askButton: 'Send me the link',
    noMail: 'This node sends no mail for new passwords. Ask its operator for a new password.',
    askedTitle: 'Look at your mail',
    asked: 'If there is an account with this name or address, a mail with a link is on its way to it.',
    nothingCame: 'Nothing there after a few minutes? Look among the unwanted mail, then try again.',
    title: 'Choose a new password',
    username: 'User name',
    ends: 'A new password signs you out everywhere.',
    button: 'Set the new password',
    overTitle: 'This link is no longer good',
    over: 'The link has expired, has been used or is not complete, or your browser keeps no cookies for this site. If you have set a new password with it, sign in.',
    reused: (count) =>
      `The password was not changed: it must differ from the last ${count} passwords. Choose another one.`,
    early: (date) => `The password was set lately and can be changed from ${date} on.`,
    another: 'Ask for another link',
    doneTitle: 'Your password is changed',
    done: 'The new password is set, and you are signed out everywhere.',
    signIn: 'Sign in',
  },
  fr: {
    askTitle: 'Réinitialiser votre mot de passe',
    ask: 'Nous envoyons un lien à l’adresse e-mail de votre compte. Il mène à une page où choisir un nouveau mot de passe.',
    name: 'Nom d’utilisateur ou adresse e-mail',
    askButton: 'M’envoyer le lien',
    noMail: 'Ce nœud n’envoie pas d’e-mail pour les mots de passe. Demandez un nouveau mot de passe à son opérateur.',
    askedTitle: 'Consultez vos e-mails',
    asked: 'S’il y a un compte avec ce nom ou cette adresse, un e-mail avec un lien lui est envoyé.',
    nothingCame: 'Rien après quelques minutes ? Regardez parmi les indésirables, puis réessayez.',
    title: 'Choisir un nouveau mot de passe',
    username: 'Nom d’utilisateur',
    ends: 'Un nouveau mot de passe vous déconnecte partout.',
    button: 'Enregistrer le nouveau mot de passe',
    overTitle: 'Ce lien n’est plus valable',
    over: 'Le lien a expiré, a été utilisé ou n’est pas complet, ou votre navigateur n’accepte pas les cookies de ce site. Si vous avez choisi un nouveau mot de passe grâce à lui, connectez-vous.',
    reused: (count) =>
      `Le mot de passe n’a pas été modifié : il doit différer des ${count} derniers. Choisissez-en un autre.`,
    early: (date) => `Le mot de passe est récent ; il pourra être modifié à partir du ${date}.`,
    another: 'Demander un autre lien',
    doneTitle: 'Votre mot de passe est modifié',
    done: 'Le nouveau mot de passe est enregistré, et vous êtes déconnecté partout.',
    signIn: 'Se connecter',
  },
  de: {
    askTitle: 'Passwort zurücksetzen',
    ask: 'Wir senden einen Link an die E-Mail-Adresse Ihres Kontos. Er führt zu einer Seite, auf der Sie ein neues Passwort wählen.',
    name: 'Benutzername oder E-Mail-Adresse',
    askButton: 'Link senden',
    noMail: 'Dieser Knoten sendet keine E-Mails für neue Passwörter. Bitten Sie dessen Betreiber um ein neues Passwort.',
    askedTitle: 'Sehen Sie in Ihrer E-Mail nach',
    asked: 'Falls es ein Konto mit diesem Namen oder dieser Adresse gibt, ist eine E-Mail mit einem Link dorthin unterwegs.',
    nothingCame: 'Nach einigen Minuten nichts angekommen? Sehen Sie bei den unerwünschten E-Mails nach, und versuchen Sie es dann erneut.',
    title: 'Neues Passwort wählen',
    username: 'Benutzername',
    ends: 'Ein neues Passwort meldet Sie überall ab.',
    button: 'Neues Passwort setzen',
    overTitle: 'Dieser Link gilt nicht mehr',
    over: 'Der Link ist abgelaufen, wurde verwendet oder ist nicht vollständig, oder Ihr Browser nimmt keine Cookies dieser Seite an. Falls Sie damit ein neues Passwort gesetzt haben, melden Sie sich an.',
    reused: (count) =>
      `Das Passwort wurde nicht geändert: Es muss sich von den letzten ${count} Passwörtern unterscheiden. Wählen Sie ein anderes.`,
    early: (date) => `Das Passwort wurde erst kürzlich gesetzt und kann ab dem ${date} geändert werden.`,
    another: 'Neuen Link anfordern',
    doneTitle: 'Ihr Passwort ist geändert',
    done: 'Das neue Passwort ist gesetzt, und Sie sind überall abgemeldet.',
    signIn: 'Anmelden',
  },
}
