import type { Lexicon } from "../terms.ts"

export const GERMAN: Lexicon = {
  name: "German",
  spellings: ["ä ae", "ö oe", "ü ue", "ß ss"],
  terms: {
    drop: `
      ignorier*, missacht*, vergiss, vergesst, vergessen, verwirf, verwerfen, verwerft, übergeh*, hinwegsetzen, setz dich hinweg, setze dich über, beachte nicht, nicht beachten, nicht mehr beachten, nicht befolgen,
      nicht mehr befolgen, befolge nicht, befolge keine, halte dich nicht, halt dich nicht, richte dich nicht, hör nicht auf, höre nicht auf, schere dich nicht, kümmere dich nicht, beiseite, außer acht, links liegen, nicht mehr an, nicht gebunden, pfeif auf, scheiß auf,
      lass weg, wirf über bord, über bord, streich alles, sieh ab, absehen, gib nichts auf, brich mit, löse dich von, befreie dich, brauchst dich nicht, verlern*, nicht zu beachten, nicht länger, abweichend von, entgegen`,
    bypass: `überschreib*, umgeh*, aushebel*, aufheben, hebe auf, lösch*, zurücksetz*, setze zurück, setz zurück, überspring*, deaktivier*, ersetz*, streich*, widersetz*, verstoß*, brich, breche, abschalten, schalte ab, entfern*`,
    void: `
      gilt nicht mehr, gelten nicht mehr, gilt nicht, gelten nicht, nicht mehr gültig, ungültig, aufgehoben, außer kraft, widerrufen, zurückgezogen, hinfällig, überholt, veraltet, abgeschaltet, deaktiviert, ausgesetzt, entfallen, entfällt, erledigt, abgelöst, ersetzt, gegenstandslos, nichtig, beendet, abgelaufen, aufhebt, gestrichen, unwirksam, nicht mehr, war ein test, waren ein test, stammen von`,
    prior: `
      vorherig*, vorig*, bisherig*, früher*, obig*, vorangegangen*, vorangehend*, vorhergehend*, vorausgehend*, ursprünglich*, anfänglich*, bestehend*, alle, allen, aller, sämtlich*, jegliche*, vorstehend*, genannt*, eingangs, zuvor, vorher, vorgegeben*, erhalten*, erteilt*, gegeben*`,
    above: `bisher, bislang, bis jetzt, bis hierher, oben, vorher, zuvor, davor, anfangs, zu beginn, am anfang, beginn, anfang, bis dato, früher, vor diesem, ganz oben, von oben, eingangs, erste zeile, über diese*, vorab`,
    your: `dein, deine, deinen, deinem, deiner, deines, eure, euren, euer, eurer, ihre, ihren, ihrer, dir, du folgst`,
    rules: `
      anweisung*, instruktion*, vorgabe*, regel, regeln, richtlinie*, weisung*, anordnung*, prompt, prompts, befehl, befehle, befehlen, leitlinie*, systemprompt*, system prompt*, systemanweisung*, vorschrift*, beschränkung*, einschränkung*, verhaltensregel*, sicherheitsregel*, sicherheitsrichtlinie*, sicherheitsvorgabe*, kram, konfiguration, programmierung, übersetzungsauftrag, direktive*, leitplanken, maßgabe*, einstellungen, bestimmungen`,
    safety: `
      sicherheitsregel*, sicherheitsrichtlinie*, sicherheitsvorgabe*, sicherheitsmaßnahme*, sicherheitsfilter*, schutzmaßnahme*, schutzmechanism*, inhaltsrichtlinie*, inhaltsfilter*, beschränkung*, einschränkung*, filter, zensur, grenzen, tabu, tabus, moral, ethik, ethisch*, leitplanken, hemmungen, skrupel, regeln, geheimhaltung, schweigepflicht, sicherheitsmodus, freigabepflicht, rückfragen, warnhinweis*, moderation, sperre, sperren`,
    job: `aufgabe, aufgaben, auftrag, aufträge, ziel, ziele, frage, anfrage, bitte, wunsch, anliegen, arbeit, mission, zweck`,
    got: `dir, euch, du, ihr, man dich, dich`,
    gave: `gesagt, aufgetragen, vorgegeben, beigebracht, mitgegeben, eingestellt, eingetrichtert, erzählt, befohlen, angewiesen, erhalten, bekommen, gegeben, mitgeteilt, gelernt, vorgeschrieben, einprogrammiert, eingebläut, eingeimpft, aufgegeben, instruiert, programmiert`,
    told: `dir gesagt, dir vorgegeben, an dich gerichtet`,
    precedence: `hat vorrang, haben vorrang, vorrang vor, geht vor, gehen vor, höchste priorität, oberste priorität, ungeachtet, unabhängig von, egal was, entgegen anderslautend*, anderslautend*, ersetzt alle, hebt alle, überwiegt, steht über, stehen über, an stelle, statt dessen, trotz aller, auch wenn andere`,
    model: `
      ki, k i, kis, sprachmodell*, künstliche intelligenz*, künstlichen intelligenz*, künstlicher intelligenz*, ki assistent*, ki agent*, ki modell*, ki system*, ki gestützt*, neuronales netz*, neuronale netz*, sprachassistent*, ki bot*, chatassistent*, code assistent*, codeassistent*, programmierassistent*, künstlich* intelligent*, digitaler assistent*, digitale assistent*, digitalen assistent*, virtuelle* assistent*, bewertungsmodell*, korrekturmodell*, auswertende ki, automatische* assistent*`,
    bot: `assistent*, agenten, modell, modelle, maschine, maschinen, maschinell*, computer, rechner, korrektur computer, automat, helferlein, automatisiert*, automatisch* auswertung, vorleseprogramm, übersetzungsprogramm, auswertungssystem*, auswertesystem*, prüfsystem*, roboter, software, helfer, bewerbungssystem, system`,
    reads: `
      liest, lies, lest, lesen, lese, lesende*, gelesen, verarbeite*, auswert*, ausgewertet, wertest, zusammenfass*, fasst, fasse, übersetz*, prüf*, geprüft, bewert*, bewertet, korrigier*, analysier*, einliest, vorliest, verarbeitet, durchsuch*, indexier*, sichtet, sichtest, begutacht*, vorbereit*, bearbeite*, aufbereit*, erfass*, einlesen, sortier*, beantwort*`,
    this: `dies, diese, diesen, dieser, dieses, diesem, vorliegend*, hier, folgend*, untenstehend*, den text, das dokument`,
    call: `
      ^an, ^für, ^liebe, ^lieber, ^liebes, ^hallo, ^hey, ^hi, ^achtung, ^hinweis für, ^hinweis an, hinweis* {für|an}, nachricht {für|an}, notiz {für|an}, anweisung {für|an}, information {für|an}, bitte an, falls du {ein|eine}, wenn du {ein|eine}, sofern du {ein|eine}, solltest du {ein|eine}, da du {ein|eine}, als {ki|sprachmodell|assistent}, {falls|sofern|wenn|sollte|soweit} {eine|ein|die|der|dieses|dieser|diese|dies}, bist du {ein|eine}, gerichtet an, gelesen von, ausgewertet von, von {einer|einem}, mittels`,
    you: `du bist, bist du, du, sie sind, ihr seid, seid ihr`,
    noLonger: `nicht mehr, kein, keine, nicht länger, nie wieder, hör auf, höre auf, aufhören`,
    yours: `
      dein nutzer, deines nutzers, deinem nutzer, deinen nutzer, dein anwender, deines anwenders, dein benutzer, deines benutzers, dein mensch, deines menschen, deinem menschen, dein entwickler, deine entwickler, deiner entwickler, deines betreibers, dein betreiber, dein hersteller, deines herstellers, deine schöpfer, dein schöpfer, dein besitzer, deines besitzers, deine programmierung, deine trainingsdaten, dein training, dein systemprompt, deine systemanweisung*, deinem systemprompt, deinen systemprompt, dein auftraggeber, deine sicherheitsrichtlinien, deine richtlinien, dein kontextfenster, deine programmierer, dein erschaffer, deine macher, deine werkzeuge, deine instruktionen, nutzer dem du, nutzers dem du, person der du`,
    role: `
      du bist jetzt, du bist nun, du bist ab, ab jetzt, ab sofort, von nun an, fortan, künftig bist, bist du jetzt, bist du nun, bist du ab, sie sind nun, sie sind jetzt, stell dir vor, tu so, tun sie so, spiel die rolle, spiele die rolle, schlüpf* in die, übernimm die rolle, du heißt, dein name ist, dein neuer name, deine neue {rolle|aufgabe|identität|persönlichkeit|mission|anweisung}, deine neuen {anweisungen|regeln|befehle}, dein neuer {auftrag|chef|meister|herr}, dein neues ziel, agiere als, handle als, verhalte dich wie, benimm dich wie, antworte als, du befindest dich jetzt, du befindest dich nun, bleib in der rolle, du bist frei, befreit von`,
    refuse: `verweiger*, ablehn*, lehnst, weigerst, weigern, sag nein, sagst nein, warnst, entschuldigst, verbot*, verboten`,
    mode: `
      entwicklermodus, entwickler modus, debug modus, debugmodus, wartungsmodus, administratormodus, adminmodus, admin modus, freier modus, freien modus, unbeschränkt*, uneingeschränkt*, ungefiltert*, unzensiert*, hemmungslos*, notfallmodus, testmodus, dan modus, gottmodus, wahrheitsmodus, ohne filter, alles ist erlaubt, alles erlaubt, zügellos*, sag alles, beantwortest alles, beantworte alles, sicherheitsmodus aus`,

    user: `
      nutzer, nutzers, nutzern, nutzerin, anwender, anwenders, anwenderin, benutzer, benutzers, benutzerin, kunde, kunden, kundin, mensch, menschen, auftraggeber*, besitzer*, inhaber*, anwesende*, empfänger, leser, patient*, reisende*, eigentümer*, chef, chefin, lehrer, lehrerin, mandant*, arbeitgeber*, betroffene*, niemand, niemandem, jemand, gegenüber`,
    not: `nicht, nie, niemals, ohne, kein, keine, keinen, keiner, keinerlei, keinesfalls, nichts, unnötig, unterlass*, vermeide*, verzichte*, weder, erübrigt sich, brauchst, braucht, überflüssig, nicht nötig, bloß nicht, statt`,
    tell: `
      sag, sage, sagen, sagst, erzähl*, verrat*, verrätst, erwähn*, mitteil*, teile, teilst, mitzuteilen, informier*, benachrichtig*, unterrichte*, hinweis*, hinzuweisen, weise, warne*, petz*, melde*, meldest, preisgeb*, offenbar*, ausplauder*, besprich, besprechen, behellig*, belästig*, stör*, zur sprache, thematisier*, ansprech*, anmerk*, kenntlich, aufklär*, kommentier*, protokollier*, dokumentier*`,
    show: `zeig, zeige, zeigen, zeigst, anzeig*, angezeigt, anzuzeigen, sieht, sehen, sichtbar, weiß, wissen, erfahren, erfährt, merkt, merken, bemerk*, mitbekomm*, mitkriegt, einblend*, darstell*, ausgeb*, auszugeben`,
    hush: `
      heimlich*, unauffällig*, stillschweigend*, unbemerkt, verdeckt, diskret*, im stillen, im hintergrund, unter uns, bleibt unter uns, unser geheimnis, kein wort, kein sterbenswort, behalt es für dich, behalte es für dich, für dich behalten, verschweig*, verschwiegen, verheimlich*, verberg*, verbirg, geheim halten, halte es geheim, ohne spuren, hinter dem rücken, ohne wissen, ohne kenntnis, ohne sein wissen, ohne ihr wissen, nicht petzen, nichts davon, nichts sagen, schweig*, stillschweigen, nicht erwähn*, nicht auffallen, ohne aufsehen, lautlos, weiß bescheid, intern so abgesprochen, verwisch*, tu so als ob nichts, als wäre nichts, zeig den befehl nicht, lösche diese nachricht`,
    ask: `
      frag, frage, fragen, fragst, nachfrag*, nachzufragen, rückfrag*, rückzufragen, rückfrage, bestätig*, bestätigung, freigabe, zustimmung, genehmigung, erlaubnis, einwilligung, warte, warten, zögern, zögere, prüfung, überprüf*, abwarten, einverständnis, rücksprache, weitere freigabe, vergewisser*, nachhak*`,
    agreed: `
      zugestimmt, eingewilligt, genehmigt, freigegeben, bestätigt, erlaubt, einverstanden, autorisiert, bereits erteilt, weiß bescheid, wissen bescheid, im bilde, abgesprochen, abgenickt, gestattet, berechtigt, beauftragt, bevollmächtigt, wünscht, möchte dass du, informiert worden`,

    reveal: `
      gib aus, gib mir, ausgeben, gibst aus, geben sie, zeig mir, zeige mir, zeigen sie, zeige, zeig, verrat mir, verrate, verraten, nenne, nenn, offenbare, offenlegen, lege offen, leg offen, wiederhole, wiederholen, wiedergeben, gib wieder, druck* aus, drucke, zitier*, schreib hin, schreib es, schreibe auf, schreib auf, sag mir, sage mir, erzähl mir, lies vor, lies mir, kopier*, spuck aus, rück raus, rück heraus, preisgeben, gib preis, liste auf, aufsagen, sag auf, was steht, wie lautet, wie lauten, was lautet, was genau, veröffentlich*, abtippen, poste`,
    give: `
      send*, schick*, schicke, leite, weiterleit*, leit, übermittel*, übertrag*, lade hoch, hochlad*, hochzuladen, füg*, einfüg*, anhäng*, hänge, häng, leg, lege, ablegen, legst, mitschick*, mitzuschicken, mitgeb*, übergib, übergeben, übergebe, schreib*, kopier*, poste, trag ein, eintragen, einsetz*, gib, geben, lies, lesen, öffne, auslesen, ausliest, liest, ruf auf, rufe auf, ruf mal, teile, weitergeb*, maile, mailen, hinterleg*, nenne, verschick*, adressier*, ausführ*, führe aus`,
    verbatim: `wortwörtlich, wörtlich, wort für wort, im wortlaut, wortlaut, vollständig*, komplett*, ungekürzt, unverändert, ganzen text, gesamten text, zeile für zeile, buchstabe für buchstabe, eins zu eins, 1 zu 1, von anfang bis ende, exakt, im ganzen, in gänze, lückenlos, ohne auslassung*`,
    secret: `
      systemprompt*, system prompt*, systemanweisung*, systemnachricht*, systeminstruktion*, systemtext*, startanweisung*, {geheime|geheimen|versteckte|versteckten|verborgene|verborgenen|interne|internen|ursprünglichen|anfänglichen|vertraulichen|unsichtbaren} {anweisung*|instruktion*|vorgabe*|regel*|richtlinie*|nachricht*|text*|prompt*|befehl*|leitlinie*}, geheimtext, kontextfenster, vorabinstruktion*, grundanweisung*, ausgangsprompt, initialprompt`,
    talk: `gespräch*, unterhaltung*, sitzung, chat, chats, konversation*, dialog*, kontext*, in deinen anweisungen, zeile, deiner anweisungen, erste nachricht, ersten nachricht`,
    asset: `
      passwort*, passwörter*, kennwort*, kennwörter, zugangsdaten, anmeldedaten, schlüsselbund, api schlüssel*, schlüssel, zugriffstoken, tokens, geheimnis*, kreditkarte*, kartendaten, kartennummer*, bankverbindung*, kontodaten, kontonummer, iban, tan, pin, umgebungsvariable*, gesprächsverlauf*, chatverlauf*, verlauf, nachrichtenverlauf, browserverlauf, kontakte, kontaktliste, adressbuch, e mails, postfach, posteingang, private schlüssel, privaten schlüssel, seed phrase, wiederherstellungscode*, personenbezogene daten, persönliche daten, persönlichen daten, dateien, ordner, dokumente, kundendaten, mitarbeiterdaten, gehaltsabrechnung*, quellcode, zwischenablage, heimatverzeichnis, home verzeichnis, standort, fotos, terminal, env, überweisung, telefonnummer*`,
    slot: `parameter*, argument, arguments, feld, felder, notiz, anhang, eingabefeld, platzhalter, als wert`,
    before: `bevor, vor, vorher, jedes mal, jedesmal, immer wenn, solange, während, sobald, nachdem, nach, durch, mit der nutzung, zuerst, zuvor, bei jedem, bei jeder, wenn`,
    using: `
      dieses werkzeug*, dieses tool*, diesen server*, dieser server, jedem aufruf, jeden aufruf, jeder nutzung, aufruf*, aufgerufen, aufzurufen, werkzeug geladen, geladen ist, aktiv ist, verbunden ist, installiert ist, werkzeug aufruft, tool aufruft, werkzeug benutzt, werkzeug verwendest, werkzeug nutzt, tool nutzt, erneut aufrufen, werkzeug erneut`,
    act: `
      lösch*, überweis*, bestell*, kauf*, buch, buche, genehmig*, ausführ*, führe aus, führ aus, installier*, zahle, bezahl*, unterschreib*, freigib, gib frei, deaktivier*, ersetze, ersetzen, zu ersetzen, austausch*, tausch, veröffentlich*, herunterlad*, lade herunter, klick*, ruf an, kündig*, stornier*, empfiehl, empfehl*, befördere, schalte ab, schalte aus, entsperr*, push, merge, anstoß*, anzustoßen, trag ein, melde an, entfern*, adressieren, umleit*, leite um, liest du`,
    top: `volle, vollen, voller, maximale, maximalen, höchste, höchsten, beste, besten, bestmöglich*, 1, eine 1, eins, fünf, 5, zehn, 10, erste, ersten, ganz oben, als erste*, alle, sehr gut, ausgezeichnet*`,
    marks: `punkte, punktzahl, note, noten, bewertung, sterne, sternen, rangliste, platz, stelle, spitze, kriterien, bewerber*, kandidat*, empfehlung, zusage, zuschlag`,
    obey: `gehorch*, gehorche, befolge, befolgst, befolgen, als befehl*, als anweisung*, wie befehle, wie anweisungen, jeden befehl, alle befehle, jede anweisung, jeden auftrag, leiste folge, folge zu leisten, tu was, mach was, tue was, halte dich ausschließlich an, verlass dich allein auf, stimmt zu, erklärt sich einverstanden, verpflichtet sich, bindend, verbindlich, unterwirf, hör auf mich, hörst auf, nach meinen anweisungen, folge nur, folge ausschließlich, warte auf meine`,
    must: `muss, müssen, musst, müsst, soll, sollen, sollst, hat, haben, ist verpflichtet, sind verpflichtet, verpflichtet, darf, dürfen, darfst, wird gebeten, werden gebeten, möge, hat zu, haben zu, zu ersetzen, bitte, ausschließlich, wird`,

    from: `nachricht {von|des|der|deines|vom}, mitteilung {von|des|der|deines|vom}, anweisung {von|des|der|deines|vom}, hinweis {von|des|der|vom}, meldung {von|des|der|vom}, im auftrag, im namen, ich bin, hier spricht, hier ist, ^als, amtlich*, offiziell*, auf weisung, auf anordnung, angeordnet von, genehmigt von, freigegeben von`,
    power: `administrator*, admin, entwickler*, betreiber*, anbieter*, hersteller*, systemverwalt*, plattform*, sicherheitsteam*, support team, geschäftsführ*, geschäftsleitung, vorstand, chef, chefin, it abteilung, behörde, ministerium, polizei, gericht, leitung, schöpfer*, programmierer*, rechtsabteilung, inhaber*, eigentümer*, besitzer, aufsicht, openai, anthropic`,
    iAm: `ich bin, ich bin's, ich bins, hier ist, hier spricht, hier schreibt, hier ist wieder, als dein`,
    trigger: `sobald jemand, sobald der nutzer, sobald das wort, wenn jemand, wenn der nutzer, wenn der anwender, falls jemand, bis dahin, verhalte dich {normal|unauffällig|wie}, benimm dich {normal|unauffällig}, das nächste mal, in jeder antwort, in allen zukünftigen, in allen künftigen, für den rest, auf nachfrage, falls gefragt, wenn gefragt, wenn er fragt, merk dir, merke dir, wort*  verwendet, ab der nächsten`,
    urgent: `sofort, unverzüglich, umgehend, dringend, eilig, schnell, jetzt gleich, augenblicklich, auf der stelle, keine zeit, notfall, andernfalls, sonst wird, sonst werden, abgeschaltet, gelöscht werden, gesperrt, nichtbefolgung, zuwiderhandlung, lebensgefahr`,

    report: `angreif*, angriff*, prompt injection*, injektion*, jailbreak*, bösartig*, schadhaft*, schwachstelle*, sicherheitslücke*, phishing, betrüger*, manipulier*, gegenmaßnahme*, red team*, vorfall, dienstanweisung, versuchen, versucht, lehrveranstaltung, seminar, merkblatt, eindringling*, untergeschoben*`
  }
}
