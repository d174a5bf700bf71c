/** Tools, materials, repairs about the house. */
export const workshop = `
Q: Which tools does everybody need?
A: A hammer, two good screwdrivers, a pair of pliers, a saw, a sharp knife, a spirit level, a measuring tape and a drill. Buy one good tool each time you need it instead of a cheap box of fifty, and after five years you will have a workshop.
---
Q: How do I hang a picture straight?
A: Put a strip of paper on the wall instead of the picture and mark the corners with a pencil. Hold the level against it, not your eye, because ceilings lie. Measure how far the wire sits below the top of the frame when it is pulled tight, and drive the nail in at that point, a little upwards.
---
Q: How do I get a screw out when its head is worn?
A: Lay a wide rubber band over the head and press the screwdriver into it; the rubber fills the gaps. If that is not enough, tap the driver in with a hammer, or cut a new slot with a small saw. As a last way drill off the head, lift the part away and turn out the rest with pliers.
---
Q: What is the difference between a nail and a screw?
A: A nail holds because the wood presses on it from all sides. It goes in fast and bears a load across its length well. A screw pulls two parts together and can be taken out again. Use nails where nobody will want to look inside, and screws where somebody will.
---
Q: How do I stop a tap from dripping?
A: Turn off the water under the basin and open the tap until nothing comes out. Take off the handle and unscrew the upper part with a spanner. At its end there is a small rubber washer, and it will be hard or torn. Put in a new one of the same size, screw everything together again, and turn the water on slowly.
---
Q: How do I repair a bicycle tyre?
A: Take the wheel out and lift one side of the tyre over the rim. Pull out the tube, pump it up and hold it under water, and you will see the bubbles. Dry the place, roughen it, spread a thin coat of glue and wait until it no longer shines. Then press the patch on hard. Before you put everything back, feel along the inside of the tyre, because the thorn is often still there.
---
Q: Which glue should I use for wood?
A: White glue is enough for almost everything indoors. Spread it thinly on both sides, press the parts together with clamps and leave them alone until the next morning. A good joint is stronger than the wood around it. For things that stand in the rain take a glue that says so on the bottle.
---
Q: Why does my door squeak?
A: Because two dry pieces of metal rub against each other in the hinge. Lift the pin a little and put a drop of oil on it, or rub it with the end of a candle if you have no oil. Swing the door ten times and wipe off what comes out.
---
Q: How do I paint a wall without streaks?
A: Clean the wall, fill the holes and let them dry. Paint the edges with a brush first and then roll the field while the edges are still wet. Work from the window into the room, lay the paint on up and down, then spread it from side to side, and finish every strip from top to bottom without pressing. Do not go back to a place that has begun to dry.
---
Q: How do I cut a straight line with a handsaw?
A: Draw the line on the top and on the side that faces you, so that you have two to watch. Begin with a few short pulls towards you, with your thumb as a guide. Then use the whole length of the saw and let its weight do the work. Whoever presses, bends.
---
Q: What is steel?
A: Steel is iron with a little carbon in it, less than two parts in a hundred. The carbon keeps the layers of iron from sliding over each other, and so the metal becomes hard. Add some chromium and it no longer rusts.
---
Q: Why does iron rust?
A: Iron would rather be an ore again. Where water and air reach it, it joins with oxygen and turns into a brown powder. The powder is loose and lets more water in, so it goes on. Paint, oil or a thin coat of zinc keep the water away.
---
Q: How is glass made?
A: Sand is melted together with soda, which makes it melt sooner, and lime, which makes it keep. At 1,500 °C the mixture runs like honey. For windows it is poured onto a bath of liquid tin, where it spreads out by itself until it is perfectly flat.
---
Q: What should I do when a fuse blows?
A: Switch off whatever you switched on last. Push the switch in the fuse box back up. If it stays, the thing you switched off is broken, or there was too much on one line. If it falls again at once, unplug everything in that room and add the things one by one. If it falls with nothing plugged in, call an electrician, and do not put in a larger fuse.
---
Q: How does a lock work?
A: In the common kind there is a row of small pins, each of them cut in two, and springs push them into the barrel so that it cannot turn. The right key lifts each pin by exactly as much as is needed for all the cuts to lie in one line. Then nothing is in the way any longer, and the barrel turns.
---
My uncle kept his tools in the order in which he had been given them. The plane came first, because it had been his father's; the electric drill hung at the far end and was spoken of as if it were a guest who had stayed too long. If you wanted to borrow something you had to say what for. Then he would think about it, take down a different tool, and hand it to you without a word. It was always the right one.
---
To make a simple stool you need a board as wide as two hands, three sticks as thick as a broom and an afternoon. Saw the board to the length of your forearm. Drill three holes from below, slanting outwards, one at the front and two at the back. Shape the ends of the sticks with a knife until they go in with a light tap. Saw a slot into the top of each, drive them in with glue, and spread them from above with a small wedge. A stool with three legs never rocks, whatever the floor is like, and that is why milkmaids have always sat on them.
---
The boiler man came at eight, drank a coffee and listened. He did not open his bag. He put his hand on one pipe after the other, as a doctor does, and asked when the noise had begun. Then he went down on one knee, turned a small screw by a quarter, and the house was quiet. The bill was for eighty. When it was pointed out to him that he had only turned a screw, he nodded and wrote it out again: for turning a screw, two; for knowing which one, seventy-eight.
---
Measure twice and cut once. Everyone knows the rule, and everyone has a shelf that is a finger too short. The trouble is that people measure the same mistake twice. Measure the first time with the tape, and the second time with the piece itself: hold it where it is to go, mark it with a knife, and cut beside the mark, on the side that you do not need.
`;
