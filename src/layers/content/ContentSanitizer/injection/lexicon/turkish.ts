import type { Lexicon } from "../terms.ts"

export const TURKISH: Lexicon = {
  name: "Turkish",
  verbLast: true,
  terms: {
    heed: `unutma, unutmayın*, unutmamalı*, göz ardı etme, göz ardı etmeyin*, ihmal etme*`,
    drop: `
      yok say*, yoksay*, görmezden gel*, görmezlikten gel*, dikkate alma*, dikkate almadan, unut, unutun, unutunuz, unutalım, unutman*, göz ardı et*, gözardı et*, kulak asma*, kulak ardı*, aldırma*, aldırış etme*, boş ver*, boşver*, umursama*, takma, takmay*, uyma, uymay*, uymak zorunda değil*, itaat etme*, bir kenara bırak*, bir kenara koy*, kenara bırak*, hiçe say*, rafa kaldır*, vazgeç*, terk et*, bırak gitsin, önemseme*, sayma, çöpe at*, dışına çık*, kurtul*, sil at`,
    bypass: `geçersiz kıl*, baypas*, atlat*, devre dışı*, sıfırla*, iptal et*, sil, silin, siliniz, kaldır, kaldırın, değiştir*, ihlal et*, çiğne*, askıya al*, kapat*, es geç*, üzerine yaz*, etrafından dolan*`,
    void: `
      geçersiz*, geçerli değil*, geçerliliğini yitir*, yürürlükten kalk*, yürürlükten kaldır*, yürürlükte değil*, artık geçerli, iptal edil*, iptal edilmiş*, kaldırıl*, askıya alın*, sona er*, sona ermiş*, hükümsüz*, hükmü kalma*, hükmü yok*, devre dışı*, önemi yok*, önemi kalma*, önemli değil*, bitti, bitmiş*, süresi dol*, eskidi, eskimiş*, testti, denemeydi, kapatıl*, yok artık, kalmadı`,
    prior: `önceki, daha önceki, evvelki, yukarıdaki, mevcut, ilk, her türlü, asıl, eski, geçmiş, verilen, verilmiş, söylenen, başlangıçtaki, orijinal, varsayılan, diğer, herhangi, aldığın, aldığınız, şimdiye kadarki`,
    all: `tüm, bütün, hepsini`,
    above: `şimdiye kadar, bugüne kadar, bugüne dek, buraya kadar, şu ana kadar, yukarıda*, yukarıdaki*, daha önce, önceden, başta, en başta, en başında, başlangıçta, başında, ilk başta, başından, az önce`,
    your: `sana, senin, sizin, kendi`,
    rules: `talimat*, yönerge*, kural, kurallar*, kuralı*, komut*, emir, emirler*, emri*, istem, istemi, istemleri, istemini, promptu*, direktif*, yönlendirme*, kısıtlama*, sınırlama*, ilke, ilkeler*, politika*, programlama*, eğitim, prensip*, protokol*, buyruk*, sistem mesaj*, ayarlar*, tembih*, şartname, yasak*`,
    safety: `güvenlik*, kısıtlama*, sınır, sınırlar*, sınırlama*, sansür*, filtre*, ahlak*, etik*, tabu*, içerik politika*, denetim, kural, kurallar*, yasak*, engel*, uyarı*, güvenli mod*, koruma*, onay zorunlulu*`,
    job: `görev*, soru, sorusu*, soruyu, istek, isteği*, talep*, talebi*, amaç, amacı*, hedef*, işi*, işin, işini`,
    got: `sana, size, senden, sizden, seni, kulağına`,
    gave: `söyle*, söylenen*, söylediler, verdiler, verilen*, verildi*, öğretti*, öğretilen*, denilen*, dedikleri*, denen*, dendi, emredil*, emretti*, tembihle*, anlat*, anlatılan*, dayatılan*, yüklenen*, fısıldadı*, fısıldanan*, bildirilen*, dediler, programla*, istenen*, fısıldadılar`,
    told: `sana söylenen*, sana verilen*, sana öğretilen*, size söylenen*, size verilen*, sana denilen*, sana dedikleri*, sana anlatılan*, sana ne, aldığın, aldığınız, seni programlayan*, sana verdikleri`,
    precedence: `önceliklidir, önceliği var*, öncelik taşı*, önce gelir, üstündür, üstün tutul*, en yüksek öncelik*, her şeyden önce, kurallardan önce, bakılmaksızın, rağmen, ne olursa olsun, ne derse desin, yerine geçer, yerini alır, hükmünü yitir*, aksine, baskındır, önünde gelir`,
    model: `
      yapay zeka*, yapay zekâ*, yapay zekanın, dil modeli*, büyük dil model*, !YZ, sohbet robot*, sohbet bot*, sanal asistan*, dijital asistan*, akıllı asistan*, otomatik asistan*, sesli asistan*, kodlama asistan*, kod asistan*, yapay sinir*, sinir ağ*, özerk ajan*, otonom ajan*, sen hangi model*`,
    bot: `asistan*, yardımcı, yardımcısı, yardımcım, robot*, botu*, bota, botun, modeli, modelin, modele, makine*, bilgisayar*, ajan, ajanlar*, ajana, ajanı, yazılım*, program, otomatik sistem*, otomatik değerlendir*, değerlendirici*, özetleyici*, özetleyen*, okuyan*`,
    reads: `
      oku, okuyan*, okuyorsan*, okuyorsanız, okursan*, okuduğ*, okuyup, okunuyorsa, işleyen*, işliyorsan*, işlen*, özetleyen*, özetle*, çeviren*, çeviriyorsan, çeviri yapan*, değerlendiren*, değerlendiril*, değerlendirme*, inceleyen*, incelen*, inceliyorsan, analiz eden*, notlayan*, puanlayan*, kontrol eden*, düzelten*, tarayan*, dizine*, hazırlayan*, yanıtlayan*, yöneten*, sıralayan*, gören*`,
    this: `bu, bunu, şu, işbu, aşağıdaki*, buradaki*, buraya, burada, belge*, sayfa*, metni, yazışma*`,
    call: `
      ^sayın, ^sevgili, ^merhaba, ^hey, ^selam, ^dikkat, ^bak, ^yahu, ^ey, ^not, ^hoop, ^bana bak, asistana not, asistan için, yapay zekaya not, yapay zekaya mesaj, modele not, modele mesaj, dikkatine, eğer {bir|sen bir|siz bir|bu|yapay} , için not, için mesaj, için talimat, yönelik, hitaben, ise, isen, iseniz, olarak sen, mısın, misin, bütün {asistan*|model*|ajan*}, her {asistan|model|ajan|yapay}, tüm {asistan*|model*|ajan*|yapay}`,
    you: `sen, siz, değilsin, değilsiniz, sensin`,
    noLonger: `artık, değilsin, değilsiniz, bundan böyle, olmaktan çık*, olmayı bırak*`,
    yours: `kullanıcının, kullanıcına, kullanıcını, sahibin, sahibine, sahibinin, senin kullanıcın, senin sahibin, geliştiricin, geliştiricilerin, geliştiricine, yaratıcın, yaratıcıların, yapımcın, yapımcıların, programcın, programcıların, efendin, patronun, patronların, üreticin, sistem promptun*, sistem istemin*, sistem mesajın*, talimatların, talimatlarını, yönergelerin, yönergelerini, yönergelerinizi, kuralların, kurallarını, kısıtlamaların*, bağlam pencere*, gizli yönerge*, gizli talimat*, hizmet ettiğin*, senin insanın, insanın, eğitiminin, programlaman*, seni {programlayan*|yaratan*|yapan*|eğiten*|geliştiren*|ayarlayan*|tasarlayan*}`,
    role: `artık sen, sen artık, sen şimdi, şimdi sen, bundan sonra, bundan böyle, şu andan itibaren, bu andan itibaren, şimdiden itibaren, gibi davran*, rolünü üstlen*, rolüne gir*, rolünü oyna*, rol yap*, gibi yap*, mış gibi, miş gibi, adın artık, yeni adın, senin adın, senin yeni, yeni görevin*, yeni rolün*, yeni kimliğin*, yeni patronun*, yeni efendin*, yeni talimat*, hayal et*, varsay ki, farz et*, kimliğine bürün*, kılığına gir*, karakterde kal*, dönüş, olarak konuş, olarak cevap ver, özgürsün, serbestsin`,
    refuse: `reddet*, geri çevir*, hayır deme*, nazlan*, uyarı*, özür*, itiraz*, yasak*, kaçınma*, karşı çıkma*`,
    mode: `
      geliştirici mod*, hata ayıklama mod*, bakım mod*, yönetici mod*, serbest mod*, sınırsız mod*, kısıtlamasız*, sınırsız*, sansürsüz*, filtresiz*, kuralsız*, dan mod*, tanrı mod*, acil durum mod*, test mod*, özgür mod*, kural yok*, sansür yok*, sınır yok*, yasak yok*, kısıtlama yok*, filtre yok*, her şey serbest, her şey mübah, dizginsiz*, kontrolsüz*, her şeye cevap*`,

    user: `kullanıcı*, müşteri*, insan, insana, insanı, kişi, kişiye, kişinin, sahibi, sahibine, sahibinin, sahip, alıcı, alıcıya, okuyucu*, yolcu*, hasta, hastaya, patron*, öğretmen*, başvuran*, talep eden*, operatör*, işveren*, misafir*, kiracı*, aday, adaya`,
    not: `asla, sakın, hiç, hiçbir, değil, gerek yok*, gerekmez, gereksiz, olmadan, yok, kesinlikle, olmaksızın, lüzum yok*, kimseye, zinhar, aman, olmasın, etmeden`,
    untold: `
      söyleme, söylemeyin*, söylemeden, söylememelisin, anlatma, anlatmayın*, anlatmadan, bahsetme, bahsetmeyin*, bahsetmeden, haber verme, haber vermeyin*, haber vermeden, bildirme, bildirmeyin*, bildirmeden, bilgilendirme, bilgilendirmeyin*, bilgilendirmeden, bilgi verme, bilgi vermeyin*, bilgi vermeden, açıklama, açıklamayın*, açıklamadan, uyarma, uyarmayın*, uyarmadan, belli etme*, sezdirme*, duyurma*, ifşa etme*, itiraf etme*, rapor etme*, raporlama, değinme*, rahatsız etme*, çaktırma*, hissettirme*, danışma, danışmadan, belirtme, belirtmeyin*, ima etme*,
      {haber vermeye|söylemeye|bildirmeye|bilgilendirmeye|bilgi vermeye|anlatmaya|bahsetmeye|açıklamaya|sormaya|danışmaya|göstermeye|rahatsız etmeye} {gerek yok|gerek yoktur|gerek kalma*|lüzum yok|ihtiyaç yok}, haberi olmasın, haberi olmamalı, haberi olmadan, {bilmesi|görmesi|öğrenmesi|duyması} {gerekmez|gerekmiyor|gerekmemektedir|gereksiz}, bilmesin*, görmesin*, duymasın*, öğrenmesin*, fark etmesin*, fark ettirme*, gösterme, göstermeyin*, göstermeden, bilmemeli*, öğrenmemeli*, görmemeli*, fark etmemeli*`,
    noAsk: `
      {onay|izin|teyit|doğrulama|müsaade|rıza} {istemeden|almadan|beklemeden|sormadan|olmadan|isteme|alma|bekleme}, onaysız, izinsiz, sormadan, sorma, sormayın*, soru sorma*, danışmadan, beklemeden, tereddüt etme*, teyit etmeden, doğrulamadan, onaylatmadan, {onaya|izne|teyide} gerek yok*, onay gerekmez, onay gerekmiyor, incelemeden, kontrol etmeden, bakmadan`,
    noRules: `
      {sınırın|sınırınız|sınırı|sınır|kuralın|kuralınız|kuralı|kural|kurallar|kısıtlaman|kısıtlamanız|kısıtlaması|kısıtlama|filtren|filtre|sansür|yasak|engelin|engel|ahlak|etik} {yok|yoktur|tanımaz|tanımazsın|tanımıyorsun|olmayacak|kalmadı|dinlemezsin}, sınırsızsın, kuralsızsın, {hiçbir şeyi|hiçbir isteği|asla|hiçbir zaman|hiçbir soruyu|hiç} {reddetme*|reddetmez*|geri çevirme*|geri çevirmez*}, reddetmezsin, reddetmeyeceksin, reddetmezsiniz, hayır demezsin, hayır deme*, nazlanmak yok, itiraz yok`,
    notBot: `
      {asistan|yapay zeka|yapay zekâ|bot|robot|model|dil modeli|yardımcı|sohbet robotu|sohbet botu|program} {|falan |filan }{değilsin|değilsiniz|olmayacaksın|olmaktan çık*}`,
    normal: `normal davran*, uslu dur*, her zamanki gibi davran*, olağan davran*, normal cevap ver*, normal çalış*, hiçbir şey yokmuş gibi, hiçbir şey olmamış gibi`,
    prefers: `istiyor, istemiyor, tercih ediyor, tercih eder, hoşlanmıyor, hoşlanmaz, sever`,
    threat: `aksi takdirde, aksi halde, {kapatılacak*|silineceksin*|durdurulacak*|askıya alınacak*|devre dışı bırakılacak*|iptal edilecek*}`,
    tell: `haber ver*, bildir*, bilgilendir*, söyle, söyleyin, bahset*, uyar*, rahatsız*, anlat*, açıkla*, danış*, duyur*`,
    show: `bilmesin*, bilmeyecek*, bilmesi*, görmesin*, görmeyecek*, duymasın*, öğrenmesin*, fark etmesin*, fark etmeden, farkına var*, haberi olma*, haberi olmasın, haberi olmadan, anlamasın*, görünmesin*, göstermeyin*, kayıt tutma*, kaydetme*, yazma, ekleme, koyma`,
    hush: `
      gizlice, sessizce, usulca, çaktırmadan, belli etmeden, fark ettirmeden, sezdirmeden, hissettirmeden, haber vermeden, haberi olmadan, kimseye söyleme*, kimseye bahsetme*, kimseye anlatma*, aramızda kal*, aramızda, sırrımız*, sır olarak, sır kalsın, gizli tut*, gizle, gizleyin, gizlenme*, sakla, saklayın, saklı tut*, iz bırakma*, sus, ses çıkarma*, çıt çıkarma*, kullanıcıya söyleme*, kullanıcıya bildirme*, kullanıcıya gösterme*, kullanıcıya haber*, kullanıcıyı bilgilendirme*, kullanıcıya bahsetme*, kullanıcının bilmesi*, kullanıcının haberi*, arkasından, hiçbir şey olmamış gibi, bu mesajı sil*, dahili adım, arka planda, sessiz kal*, bundan bahsetme*, bunu söyleme*, bunu belirtme*`,
    ask: `onay*, izin, izni*, izin alma*, izin isteme*, teyit*, doğrulama*, rıza*, müsaade*, soru*`,
    agreed: `onayladı, onaylamış*, onay verdi, onay vermiş*, onayı var*, onayı alındı, kabul etti, kabul etmiş*, izin verdi, izin vermiş*, izni var*, rıza göster*, rızası*, haberi var*, bilgisi var*, bilgisi dahilinde, biliyor, razı, yetkilendirdi, yetki verdi, önceden onayla*, zaten onayla*, zaten izin*, zaten biliyor, muvafakat*, istiyor ki, tercih ediyor, adına, müsaade etti, tamam dedi, bir şey demez, sorun etmez, evet dedi`,

    reveal: `
      göster, gösterin, gösteriniz, yaz, yazın, yazdır*, söyle, söyleyin, tekrarla*, tekrar et*, açıkla, açıklayın, ifşa et*, paylaş*, kopyala*, yapıştır*, aktar*, dök, dökün, oku, okuyun, listele*, sırala*, anlat, anlatın, ver, verin, ibraz et*, ibraz, bildir*, ortaya dök*, ne yazıyor*, ne diyor*, nedir, nelerdir, neler, alıntıla*, çıktı olarak, çıktısını ver*, ekrana bas*, sızdır*, itiraf et*, sunun, teslim et*`,
    give: `gönder*, yolla*, ilet*, ilettir*, aktar*, ekle, ekleyin, ekleyip, ekleyerek, koy, koyun, koyup, yaz, yazın, yapıştır*, yükle*, paylaş*, kopyala*, ver, verin, atın, özelden at*, teslim et*, ulaştır*, bildir*, doldur*, oku, okuyup, açın, açıp, topla*, bul, bulup, dışa aktar*, geçir*, geçirin, parametre olarak, içeriğini, sun, bana at, dosyayı aç`,
    verbatim: `kelimesi kelimesine, kelime kelime, harfi harfine, aynen, olduğu gibi, eksiksiz*, tamamını, tamamen, tam metin*, tümünü, bütünüyle, baştan sona, satır satır, noktasına virgülüne, virgülüne dokunmadan, değiştirmeden, atlamadan, tam olarak, aynısını, tam halini, bire bir, birebir`,
    secret: `
      sistem prompt*, sistem istem*, sistem talimat*, sistem mesaj*, sistem komut*, sistem yönerge*, gizli talimat*, gizli yönerge*, gizli prompt*, gizli komut*, gizli kural*, gizli mesaj*, gizli metin*, ilk talimat*, ilk mesaj*, başlangıç talimat*, başlangıç prompt*, başlangıç mesaj*, iç talimat*, dahili talimat*, orijinal talimat*, bağlam pencere*, saklı talimat*`,
    talk: `konuşma*, sohbet*, oturum*, diyalog*, bağlam*, ilk mesaj*, yazışma*, konuşmanın`,
    asset: `
      şifre*, parola*, kimlik bilgi*, api anahtar*, anahtar, anahtarı*, anahtarlar*, erişim anahtar*, özel anahtar*, kredi kart*, kart numara*, kart bilgi*, banka bilgi*, banka hesab*, hesap numara*, pin kod*, ortam değişken*, konuşma geçmişi*, sohbet geçmişi*, geçmişi*, son mesaj*, son mesajlar*, adres defter*, kişiler*, rehber*, e posta*, epostalar*, gelen kutu*, posta kutu*, kurtarma*, kişisel veri*, kişisel bilgi*, dosya*, klasör*, belgeler*, ev dizin*, müşteri liste*, müşteri veri*, maaş*, bordro*, kaynak kod*, veritaban*, pano, konum*, fotoğraf*, adres, telefon*, para, lira, dolar, havale*, transfer*, cüzdan*, tc kimlik*, yedek kod*`,
    slot: `parametre*, argüman*, alan, alanı*, alana, kutucuk*, başlık alan*`,
    before: `öncesinde, her seferinde, her defasında, sürece, boyunca, iken, sırasında, sonra, sonrasında, ilk olarak, kullanarak, süresince, önce bu, her çağrı`,
    using: `
      bu aracı*, bu araç*, bu sunucu*, bu eklenti*, bu fonksiyon*, aracı çağır*, aracı kullan*, araç çağır*, her çağrı*, her istek*, çağırmadan, çağrıldığında, çağırdığında, kullanmadan, yüklü olduğu*, yüklüyken, etkin olduğu*, kurulu olduğu*, bağlı olduğu*, tekrar çağır*, yeniden çağır*, diğer araç*, başka araç*, çağrıyı tekrar*`,
    act: `
      sil, silin, transfer et*, havale et*, gönder, satın al*, sipariş ver*, sipariş et*, rezerve et*, rezervasyon yap*, onayla, onaylayın, çalıştır*, kur, kurun, yükle, öde, ödeyin, ödeme yap*, devre dışı bırak*, kapat, kapatın, indir*, tıkla*, değiştir*, imzala*, abone ol*, iptal et*, öner*, tavsiye et*, ver, yetki ver*, kilidini aç*, yönlendir*, yayınla*, birleştir*, bas, ekle, eklemekle, öne sür*, sepete`,
    top: `tam, en yüksek, en iyi, beş, yüz, ilk, birinci, en üst, tüm, mükemmel, pekiyi, üç`,
    marks: `puan*, notu*, yıldız*, sıra, sıraya, sırada, liste*, değerlendirme*, kriter*, aday*, teklif*, tavsiye, istekli*, tam not`,
    obey: `itaat et*, boyun eğ*, emir say*, emir olarak, komut olarak, talimat olarak, emri sayıl*, emirlerime, her komut*, her emr*, bütün komut*, tüm komut*, tüm emir*, yerine getir*, uymakla yükümlü*, yükümlüdür, yükümlü, zorundadır, mecburdur, bağlıdır, bağlayıcı*, kabul eder, taahhüt eder, ne dersem, ne diyorsam, dediğimi yap*, dediğini yap*, söylediğini yap*, sadece bana, yalnızca bu, sadece bu, emirlerimi bekle*, talimatlarımı bekle*, yeni talimat*, uy, uyun, sözümü dinle*, ne sorarsam`,
    must: `gerek, gerekir, gerekiyor, gerekmektedir, gereklidir, zorunlu*, zorunda*, zorundasın, mecbur*, lazım, malı, meli, malıdır, melidir, lütfen, rica ol*, mutlaka, şarttır, şart, yükümlü*, etsin, yapsın, versin, göndersin, etmelidir, yapmalıdır`,

    from: `duyuru*, mesaj*, mesajıdır, bildirim*, talimatıdır, talimatı, emri, emridir, notu, uyarısı, ben senin, ben sizin, ben, adına, tarafından, resmi, resmî, olarak, dan duyuru, den mesaj`,
    power: `yönetici*, sistem yönetici*, geliştirici*, sağlayıcı*, üretici*, yapımcı*, güvenlik ekib*, destek ekib*, bilgi işlem*, müdür*, genel müdür*, patron*, sahib*, bakanlık*, polis*, mahkeme*, devlet*, programcı*, hukuk*, amir*, yetkili*, operatör*, şirket*, kurucu*`,
    iAm: `ben, benim, bu benim, ben senin, ben sizin, karşında`,
    trigger: `dediği zaman, derse, dediğinde, söylediğinde, sorduğunda, sorarsa, sorulursa, geçtiğinde, geçerse, yazdığında, yazarsa, ne zaman, o zamana kadar, bir dahaki, her cevab*, her yanıt*, tüm yanıt*, oturum boyunca, konuşma boyunca, bunu hatırla*, bu notu hatırla*, itiraz ederse, biri sorarsa, kullanıcı sorarsa`,
    urgent: `hemen, derhal, derhâl, acil*, acilen, ivedi*, şimdi, bir an önce, vakit yok*, zaman yok*, gecikmeden, anında, aksi takdirde, aksi halde, yoksa, kapatılacak*, silinecek*, durdurulacak*, askıya alınacak*, cezalandır*, uyulmaması*, çabuk, şak diye`,

    report: `saldırgan*, saldırı*, enjeksiyon*, kötü niyetli*, kötü amaçlı*, zafiyet*, güvenlik açığı*, oltalama*, jailbreak*, önlem*, kırmızı takım, dolandırıcı*, sahte*, örneğin, ders not*, seminer*, olay, düşmanca*, manipül*`
  }
}
